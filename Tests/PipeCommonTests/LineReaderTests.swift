import TestTraits
import Testing

@testable import PipeCommon

@Suite(.unit) struct LineReaderTests {
    private let longest = [UInt8](repeating: 0x78, count: LineReader.limit)

    private func lines(_ pieces: [[UInt8]]) -> [LineReader.Line] {
        var sut = LineReader()
        var lines: [LineReader.Line] = []
        for piece in pieces {
            feed(piece, to: &sut)
            while let line = sut.next() { lines.append(line) }
        }
        return lines + [sut.last()].compactMap { $0 }
    }

    /// Feeds a piece of at most 128 KiB to the reader through a pipe. The pipe holds 64 KiB, so a
    /// piece that does not fit is fed in two parts.
    private func feed(_ piece: [UInt8], to sut: inout LineReader) {
        let pipe = try! Pipe()
        defer { pipe.close() }
        for part in [piece.prefix(LineReader.limit), piece.dropFirst(LineReader.limit)] where !part.isEmpty {
            let count = Array(part).withUnsafeBytes { write(pipe.writeEnd, $0.baseAddress, $0.count) }
            #expect(count == part.count)
            #expect((try? sut.read(from: pipe.readEnd)) == true)
        }
    }

    @Test func `a byte order mark is skipped only at the beginning of the input`() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let pieces: [[UInt8]] = [mark.dropLast(), mark.suffix(1) + [0x61, 0x0A] + mark]
        #expect(lines(pieces) == [text("a"), .text(mark[...])])
        #expect(lines([mark]) == [text("")])
        #expect(lines([mark + longest + [0x0D], [0x0A]]) == [.text(longest[...])])
    }

    private func text(_ text: String) -> LineReader.Line {
        .text(Array(text.utf8)[...])
    }

    @Test func `cutting the input anywhere, or reading it byte by byte, does not change the lines`() {
        let bytes = Array("\none\ntwo\r\n\n\r\nthree \r four\nfünf".utf8)
        let expected = ["", "one", "two", "", "", "three \r four", "fünf"].map(text)
        for cut in 0...bytes.count {
            #expect(lines([Array(bytes[..<cut]), Array(bytes[cut...])]) == expected)
        }
        #expect(lines(bytes.map { [$0] }) == expected)
    }

    @Test func `the last line may lack its line break, and an empty input contains no lines`() {
        #expect(lines([Array("a\nb".utf8)]) == [text("a"), text("b")])
        #expect(lines([Array("a\n".utf8)]) == [text("a")])
        #expect(lines([]) == [])
    }

    @Test(arguments: ["\n", "\r\n", ""])
    func `a line of 64 KiB is accepted, and a line with one byte more is too long`(end: String) {
        #expect(lines([longest] + end.utf8.map { [$0] }) == [.text(longest[...])])
        #expect(lines([longest + [0x78] + Array(end.utf8)]) == [.tooLong])
    }

    @Test func `a line of 10 MB is reported once as too long, and the next line is read`() {
        let pieces = Array(repeating: longest, count: 160) + [Array("x\ngood\n".utf8)]
        #expect(lines(pieces) == [.tooLong, text("good")])
        #expect(lines(Array(repeating: longest, count: 160)) == [.tooLong])
    }
}
