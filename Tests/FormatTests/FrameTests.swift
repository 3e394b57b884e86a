import TestTraits
import Testing

@testable import price_format

/// What a terminal is sent for the next frame.
@Suite(.unit) struct FrameTests {
    private let begin = "\u{1B}[?2026h", end = "\u{1B}[?2026l"

    private func update(_ old: Frame?, _ lines: [String], title: String = "") -> String {
        Frame(lines: lines, title: title).update(from: old)
    }

    @Test func `the first frame clears the screen and draws every line`() {
        #expect(
            update(nil, ["a", "", "c"])
                == "\(begin)\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka\u{1B}[3;1H\u{1B}[2Kc\(end)")
    }

    @Test func `only changed lines are drawn, and a line that is gone is cleared`() {
        let old = Frame(lines: ["a", "b", "c"])
        #expect(update(old, ["a", "x", "c"]) == "\(begin)\u{1B}[2;1H\u{1B}[2Kx\(end)")
        #expect(update(old, ["a"]) == "\(begin)\u{1B}[2;1H\u{1B}[2K\u{1B}[3;1H\u{1B}[2K\(end)")
        #expect(update(old, ["a", "b", "c", "d"]) == "\(begin)\u{1B}[4;1H\u{1B}[2Kd\(end)")
    }

    @Test func `nothing is sent when nothing has changed`() {
        #expect(update(Frame(lines: ["a"], title: "t"), ["a"], title: "t") == "")
    }

    @Test func `the title is set when it changes`() {
        #expect(update(Frame(lines: ["a"]), ["a"], title: "t") == "\(begin)\u{1B}]2;t\u{7}\(end)")
    }

    @Test func `the last row does not scroll, and is drawn again with the cursor at its beginning`() {
        #expect(Margins.keepLastRow(of: ScreenSize(columns: 80, rows: 24)) == "\u{1B}[1;23r")
        #expect(Margins.keepLastRow(of: ScreenSize(columns: 80, rows: 2)) == "\u{1B}[r")
        let size = ScreenSize(columns: 80, rows: 2)
        #expect(
            Margins.lastRow(of: Frame(lines: ["a", "b"]), size)
                == "\u{1B}[2;1H\u{1B}[2Kb\u{1B}[2;1H")
        #expect(Margins.lastRow(of: Frame(lines: ["a"]), size) == "\u{1B}[2;1H\u{1B}[2K\u{1B}[2;1H")
    }
}
