import TestTraits
import Testing

@testable import PipeCommon

/// How records are read from a pipe, and how bad lines are reported.
@Suite(.unit) struct RecordReaderTests {
    private let input = try! Pipe()
    private let output = try! Pipe()
    private let errors = try! Pipe()

    private func makeSUT() -> RecordReader<Tick> {
        RecordReader(
            descriptor: input.readEnd, output: output.writeEnd,
            diagnostics: Diagnostics(program: "sut", descriptor: errors.writeEnd))
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(writeBytes(input.writeEnd, bytes.span) == bytes.count)
    }

    private func numbers(_ sut: inout RecordReader<Tick>) -> [Int?] {
        var numbers: [Int?] = []
        while let tick = sut.next() { numbers.append(tick.number) }
        return numbers
    }

    /// Expects that exactly the ticks with these numbers can be read now and that the reader then needs more input.
    private func expect(_ sut: inout RecordReader<Tick>, _ expected: [Int], isOpen: Bool = true) {
        let isReady = [sut.isOpen, sut.needsInput, sut.hasEnded]
        #expect(isReady == [isOpen, expected.isEmpty, !isOpen && expected.isEmpty])
        let numbers = numbers(&sut)
        #expect(numbers == expected)
        #expect([sut.isOpen, sut.needsInput, sut.hasEnded] == [isOpen, true, !isOpen])
    }

    private func reported() throws -> String {
        closeDescriptor(errors.writeEnd)
        return String(decoding: try readAvailable(errors.readEnd) ?? [], as: UTF8.self)
    }

    @Test func `each reading gets its own source's name, even if the name is long, escaped or repeated`()
        throws
    {
        // Given readings whose source names are short, long, escaped, repeated or empty
        let long = String(repeating: "x", count: 40)
        let names = ["a", "a", "b", "\(long)1", "\(long)2", #"b\u0009"#, #"b\u0009"#, "b", ""]
        for name in names { send(#"{"source":"\#(name)","error":true}"# + "\n") }
        var sut = RecordReader<Reading>(
            descriptor: input.readEnd, output: output.writeEnd, diagnostics: Diagnostics(program: "sut"))
        // When all readings are read
        _ = try sut.readMore()
        var sources: [String?] = []
        while let reading = sut.next() { sources.append(reading.source) }
        // Then the names are in the same order, and each control character is replaced by a question mark
        #expect(sources == ["a", "a", "b", "\(long)1", "\(long)2", "b?", "b?", "b", ""])
    }

    @Test func `records are read as they arrive, and the last record may lack its line break`() throws {
        var sut = makeSUT()
        expect(&sut, [])
        send("{\"tick\":1}\r\n\n  \n{\"tick\":2}\n{\"ti")
        _ = try sut.readMore()
        expect(&sut, [1, 2])
        send("ck\":3}")
        closeDescriptor(input.writeEnd)
        _ = try sut.readMore()
        _ = numbers(&sut)
        _ = try sut.readMore()
        expect(&sut, [3], isOpen: false)
        let (hasMore, status) = (try sut.readMore(), sut.status)
        #expect(!hasMore && status == .done)
        #expect(try reported() == "")
    }

    @Test func `a bad line is skipped and reported with its number, and the exit status reports bad input`()
        throws
    {
        var sut = makeSUT()
        send("{\"tick\":1}\n\n{\"tick\":-1}\n")
        _ = try sut.readMore()
        var numbers = numbers(&sut)
        // Send a line of 65 KiB piece by piece, because it does not fit into the pipe as a whole.
        for _ in 0..<65 {
            send(String(repeating: "x", count: 1024))
            _ = try sut.readMore()
        }
        closeDescriptor(input.writeEnd)
        while try sut.readMore() { numbers += self.numbers(&sut) }
        let status = sut.status
        #expect(numbers == [1] && status == .badInput)
        #expect(
            try reported() == """
                sut: warning: line 3: tick is not an integer of 0 or more
                sut: warning: line 4: longer than 64 KiB

                """)
    }

    @Test func `consecutive multi-line objects are reported once, with the advice to use jq -c`() throws {
        var sut = makeSUT()
        send("{\n  \"tick\": 1\n}\n{\n  \"tick\": 2\n}\n{\"tick\":3}\nx\n")
        _ = try sut.readMore()
        expect(&sut, [3])
        let status = sut.status
        #expect(status == .badInput)
        let reported = try reported().split(separator: "\n")
        #expect(reported.first == "sut: warning: line 1: an object must be on one line: write it with jq -c")
        #expect(reported.count == 2 && reported.last?.hasPrefix("sut: warning: line 8: ") == true)
    }

    @Test func `waiting for input ends with an error when the output no longer has a reader`() throws {
        var sut = makeSUT()
        closeDescriptor(output.readEnd)
        #expect(throws: StreamError.readerGone) { try sut.readMore() }
    }

    @Test func `input that cannot be read causes an error`() throws {
        closeDescriptor(input.readEnd)
        var sut = RecordReader<Tick>(
            descriptor: input.writeEnd, output: output.writeEnd, diagnostics: Diagnostics(program: "sut"))
        #expect(throws: StreamError.inputFailed(errno: EBADF)) { try sut.read() }
    }
}
