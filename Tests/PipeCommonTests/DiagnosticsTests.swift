import TestSupport
import TestTraits
import Testing

@testable import PipeCommon

/// The messages of a program to its user, with a pipe in place of standard error, and how text is made printable.
@Suite(.unit) struct DiagnosticsTests {
    private let pipe = try! Pipe()
    private let sut: Diagnostics

    init() {
        _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
        sut = Diagnostics(program: "sut", descriptor: pipe.writeEnd)
    }

    /// The lines that have been written since the last call.
    private func written() throws -> [Substring] {
        let bytes = try readAvailable(pipe.readEnd) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test(.fault(33)) func `a diagnostic is written as one printable line`() throws {
        sut.warning("a\u{1B}[31m\nb")
        sut.error("c")
        #expect(try written() == ["sut: warning: a?[31m?b", "sut: error: c"])
    }

    @Test(.fault(40))
    func `diagnostics that do not fit into the pipe are discarded, and their number is reported later`()
        throws
    {
        // Given more diagnostics than the pipe can hold
        for number in 0..<5000 { sut.warning("number \(number)") }
        let first = try written()
        #expect(first.count > 100 && first.count < 5000)
        #expect(first == (0..<first.count).map { "sut: warning: number \($0)" })
        // When the pipe has room again
        sut.warning("the next one")
        sut.warning("the last one")
        // Then the number of discarded diagnostics is reported before the new diagnostics
        #expect(
            try written() == [
                "sut: warning: \(5000 - first.count) diagnostics were discarded: standard error was not being read",
                "sut: warning: the next one", "sut: warning: the last one",
            ])
    }

    @Test(.fault(40))
    func `each line from another program is either written or counted as discarded`() throws {
        for _ in 0..<100 { sut.write(lines: Array(repeating: UInt8(ascii: "\n"), count: 1000)[...]) }
        var room = 0
        while let bytes = try readAvailable(pipe.readEnd) { room += bytes.count }
        sut.warning("x")
        let discarded =
            "sut: warning: \(100_000 - room) diagnostics were discarded: standard error was not being read"
        #expect(try written() == [discarded[...], "sut: warning: x"])
    }

    @Test func `a diagnostic that is too long for one write is truncated`() throws {
        sut.warning(String(repeating: "\u{1F600}", count: 2000))
        let bytes = try #require(try readAvailable(pipe.readEnd))
        #expect(bytes.count <= Diagnostics.longestPiece && bytes.last == UInt8(ascii: "\n"))
    }

    @Test func `a problem is reported when it begins, changes or returns`() {
        var sut = ChangeFilter()
        let problems: [String?] = [nil, "full", "full", "gone", "gone", nil, "gone"]
        #expect(problems.map { sut.changed(to: $0) } == [nil, "full", nil, "gone", nil, nil, "gone"])
    }

    // MARK: printable text

    @Test(arguments: [
        ("plain ƀ 😀 text", "plain ƀ 😀 text"), ("a\u{1B}[31mb", "a?[31mb"), ("a\r\nb", "a??b"),
        ("a\u{202E}b", "a?b"),
        ("\u{0}\u{7F}\u{85}\u{2028}\u{2029}\u{FEFF}\u{200B}", "???????"), ("\u{E000}", "?"),
    ])
    func `control, format, private-use and line-separating characters become question marks`(
        text: String, clean: String
    ) {
        #expect(printable(text) == clean)
    }

    @Test func `long text is truncated with an ellipsis`() {
        #expect(printable("abcdef", atMost: 6) == "abcdef")
        #expect(printable("abcdefg", atMost: 6) == "abcde…")
        #expect(
            printable("e" + String(repeating: "\u{301}", count: 4000), atMost: 6).unicodeScalars.count == 6)
    }
}
