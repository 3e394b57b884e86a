import TestTraits
import Testing

@testable import PipeCommon

/// A pipe whose reader has stopped reading. Time is simulated, so that the tests need not wait.
@Suite(.unit) struct StalledReaderTests {
    private let pipe = try! Pipe()
    private let now = Deadline.Instant.now

    private func write(_ count: Int, to sut: inout StalledReader) {
        let bytes = [UInt8](repeating: 0x78, count: count)
        #expect(writeBytes(pipe.writeEnd, bytes.span) == count)
        sut.count(count)
    }

    private func expect(_ sut: inout StalledReader, after seconds: Int, isStalled expected: Bool) {
        let isStalled = try? sut.isStalled(at: now + .seconds(seconds), isKnown: false)
        #expect(isStalled == expected)
    }

    @Test(arguments: [(9, false), (10, false), (11, true)])
    func `a reader that leaves bytes unread for more than 10 seconds is stalled`(
        seconds: Int, isStalled expected: Bool
    ) throws {
        var sut = StalledReader(descriptor: pipe.writeEnd, requests: -1)
        sut.mark(at: now)
        write(100, to: &sut)
        expect(&sut, after: seconds, isStalled: expected)
        // A reader that has read everything does not count as stalled.
        _ = try readAvailable(pipe.readEnd)
        expect(&sut, after: seconds, isStalled: false)
    }

    @Test func `a reader is stalled if the oldest unread byte was written more than 10 seconds ago`() throws {
        var sut = StalledReader(descriptor: pipe.writeEnd, requests: -1)
        sut.mark(at: now)
        write(100, to: &sut)
        _ = try readAvailable(pipe.readEnd)
        sut.mark(at: now + .seconds(8))
        write(100, to: &sut)
        expect(&sut, after: 17, isStalled: false)
        expect(&sut, after: 19, isStalled: true)
    }

    @Test func `if a pipe stays full for 10 seconds, its reader is stalled`() throws {
        var sut = StalledReader(descriptor: pipe.writeEnd, requests: -1)
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0x78, count: 4096)
        while writeBytes(pipe.writeEnd, bytes.span) > 0 {}
        // Bytes of recorded lines are not marked, so the 10 seconds begin when the pipe is first found full.
        // The first check uses a time 11 seconds in the past, so that the test need not wait.
        expect(&sut, after: -11, isStalled: true)
        expect(&sut, after: 0, isStalled: true)
        _ = try readAvailable(pipe.readEnd)
        expect(&sut, after: 0, isStalled: false)
    }

    @Test func `a closed pipe for requests is noticed only while the output contains unread bytes`() throws {
        let requests = try Pipe()
        closeDescriptor(requests.readEnd)
        var sut = StalledReader(descriptor: pipe.writeEnd, requests: requests.writeEnd)
        expect(&sut, after: 0, isStalled: false)
        write(100, to: &sut)
        #expect(throws: StreamError.readerGone) { try sut.isStalled(at: now, isKnown: false) }
    }
}
