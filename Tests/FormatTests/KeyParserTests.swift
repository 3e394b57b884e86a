import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The keys that are recognized in the bytes from a terminal.
@Suite(.unit) struct KeyParserTests {
    private let start = Deadline.Instant.now

    private func keys(_ text: String) -> [Key] {
        var sut = KeyParser()
        return sut.keys(in: text.utf8)
    }

    @Test(arguments: [
        ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
        ("\u{1B}[H", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home), ("\u{1B}OF", .end),
        ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("\u{1B}[1;5A", .up), ("\u{1B}[5;2~", .pageUp),
        ("\u{1B}OM", .enter), ("\r", .enter), ("\n", .enter), ("\u{7F}", .backspace), ("\u{8}", .backspace),
        ("q", .letter("q")), (" ", .space), ("\u{C}", .redraw), ("\u{1A}", .byte(0x1A)),
    ])
    func `a key is recognized, whether its bytes arrive together or one by one`(text: String, key: Key) {
        #expect(keys(text) == [key])
        var sut = KeyParser()
        #expect(text.utf8.flatMap { sut.keys(in: [$0]) } == [key])
        #expect(sut.deadline == nil && sut.keys(in: "j".utf8) == [.letter("j")])
    }

    @Test(arguments: [
        "\u{1B}[q", "\u{1B}[200~", "\u{1B}[?1;2c", "\u{1B}OP", "\u{1B}q", "À", "\u{0}", "\u{1B}[15~",
        "\u{1B}[Z", "\u{1B}[@", "\u{1B}[ q",
        "\u{1B}[<0;10;10M\u{1B}[<0;10;10m", "\u{1B}[1234567890123456~",
    ])
    func `unknown sequences and characters are ignored as a whole`(text: String) {
        #expect(keys(text + "j") == [.letter("j")])
    }

    @Test func `Esc is reported if nothing follows within 40 ms`() {
        var sut = KeyParser()
        #expect(sut.keys(in: [0x1B], at: start) == [])
        #expect(sut.deadline == Deadline(start + .milliseconds(40)))
        #expect(sut.expire(at: start + .milliseconds(39)) == nil)
        #expect(sut.expire(at: start + .milliseconds(40)) == .escape)
        #expect(sut.deadline == nil && sut.expire(at: start + .seconds(1)) == nil)
    }

    @Test
    func `the first of two Escs is reported immediately, and the second is reported if nothing follows`() {
        var sut = KeyParser()
        #expect(sut.keys(in: [0x1B, 0x1B], at: start) == [.escape])
        #expect(sut.expire(at: start + .milliseconds(40)) == .escape)
    }

    @Test(arguments: ["\u{1B}[", "\u{1B}O", "\u{1B}[1;"])
    func `an incomplete sequence is discarded after 40 ms`(half: String) {
        var sut = KeyParser()
        #expect(sut.keys(in: half.utf8, at: start) == [])
        #expect(sut.expire(at: start + .milliseconds(40)) == nil)
        #expect(sut.keys(in: "q".utf8) == [.letter("q")])
    }

    @Test func `after random bytes and a pause, the next key is recognized`() {
        var random = SeededRandom(Seed.value)
        for _ in 0..<2000 {
            var sut = KeyParser()
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("\u{1B}[O0;~A".utf8).randomElement(using: &random)!
            }
            #expect(sut.keys(in: bytes, at: start).count <= bytes.count)
            _ = sut.expire(at: start + .seconds(1))
            #expect(sut.keys(in: "j".utf8) == [.letter("j")])
        }
    }
}
