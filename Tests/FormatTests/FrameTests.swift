import TestTraits
import Testing

@testable import price_format

/// The bytes that are sent to a terminal for the next frame.
@Suite(.unit) struct FrameTests {
    private let begin = "\u{1B}[?2026h", end = "\u{1B}[?2026l"
    private let size = ScreenSize(columns: 80, rows: 24)
    /// Draws the empty last row again and leaves the cursor at the beginning of the row.
    private let lastRow = "\u{1B}[24;1H\u{1B}[2K\u{1B}[24;1H"

    private func update(_ old: [String]?, _ lines: [String], title: String = "") -> String {
        Frame(lines: lines, title: title, size: size).update(from: old.map { Frame(lines: $0, size: size) })
    }

    @Test func `the first frame clears the screen, excludes its last row from scrolling and draws all text`()
    {
        #expect(
            update(nil, ["a", "", "c"])
                == "\(begin)\u{1B}[1;23r\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka\u{1B}[3;1H\u{1B}[2Kc\(lastRow)\(end)")
    }

    @Test func `only changed lines and the last row are drawn, and removed lines are cleared`() {
        let old = ["a", "b", "c"]
        #expect(update(old, ["a", "x", "c"]) == "\(begin)\u{1B}[2;1H\u{1B}[2Kx\(lastRow)\(end)")
        #expect(update(old, ["a"]) == "\(begin)\u{1B}[2;1H\u{1B}[2K\u{1B}[3;1H\u{1B}[2K\(lastRow)\(end)")
        #expect(update(old, ["a", "b", "c", "d"]) == "\(begin)\u{1B}[4;1H\u{1B}[2Kd\(lastRow)\(end)")
    }

    @Test func `without a change, nothing is sent`() {
        let frame = Frame(lines: ["a"], title: "t", size: size)
        #expect(frame.update(from: frame) == "")
    }

    @Test func `the title is sent when it changes`() {
        #expect(update(["a"], ["a"], title: "t") == "\(begin)\u{1B}]2;t\u{7}\(lastRow)\(end)")
    }

    @Test func `after a resize, everything is drawn again, even on a screen with only two rows`() {
        let old = Frame(lines: ["a", "b"], size: size)
        let ofThree = Frame(lines: ["a"], size: ScreenSize(columns: 80, rows: 3))
        #expect(ofThree.update(from: old).hasPrefix("\(begin)\u{1B}[1;2r\u{1B}[2J"))
        let new = Frame(lines: ["a", "b"], size: ScreenSize(columns: 80, rows: 2))
        #expect(
            new.update(from: old)
                == "\(begin)\u{1B}[r\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka\u{1B}[2;1H\u{1B}[2Kb\u{1B}[2;1H\u{1B}[2Kb\u{1B}[2;1H\(end)"
        )
    }
}
