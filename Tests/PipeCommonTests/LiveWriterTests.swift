import TestSupport
import TestTraits
import Testing

@testable import PipeCommon

/// The batches in which lines are written. Stalled readers are tested in `StalledReaderTests` and, with whole
/// programs, in `BlockedReaderTests`.
@Suite(.unit) struct LiveWriterTests {
    private let pipe = try! Pipe()

    init() {
        _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
    }

    private func makeSUT() -> LiveWriter {
        LiveWriter(descriptor: pipe.writeEnd, diagnostics: Diagnostics(program: "sut"))
    }

    private func written() throws -> String? {
        try readAvailable(pipe.readEnd).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [Timestamp.now(), anyTime(), nil])
    func `lines are written once, at the next flush`(time: Timestamp?) throws {
        var sut = makeSUT()
        try sut.add(at: time) { $0.append("one") }
        try sut.add(at: time) { $0.append("two") }
        #expect(try written() == nil)
        try sut.flush()
        #expect(try written() == "one\ntwo\n")
        try sut.flush()
        #expect(try written() == nil)
    }

    @Test func `live lines are written in batches of 2 KiB, and other lines in batches of 64 KiB`() throws {
        let line = String(repeating: "x", count: 1023)
        for (time, count) in [(Timestamp.now(), 2), (anyTime(), 64), (nil, 64)] as [(Timestamp?, Int)] {
            var sut = makeSUT()
            var added = 0
            while try written() == nil, added < 100 {
                try sut.add(at: time) { $0.append(line) }
                added += 1
            }
            // A full batch is written when the next line is added.
            #expect(added == count + 1)
        }
    }

    @Test func `recorded and live lines are not written in the same batch`() throws {
        var sut = makeSUT()
        // This reading is live when the writer is created, but no longer when its line is added.
        let time = Timestamp(milliseconds: Timestamp.now().milliseconds - 59_990)
        usleep(20_000)
        try sut.add(at: time) { $0.append("recorded") }
        try sut.add(at: .now()) { $0.append("live") }
        #expect(try written() == "recorded\n")
    }

    @Test func `a reading is written as one line of JSON`() throws {
        var sut = makeSUT()
        let reading = Reading(answering: anyTick(), anyQuote(), from: "binance")
        try sut.add(reading)
        try sut.flush()
        #expect(try written() == reading.text + "\n")
    }
}
