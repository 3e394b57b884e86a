import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

@Suite(.unit) struct StreamSilenceTests {
    private let now = Deadline.Instant.now

    private func makeSUT() -> StreamSilence {
        var sut = StreamSilence(maxAge: .seconds(5))
        sut.restart(at: now)
        return sut
    }

    private func expect(_ sut: inout StreamSilence, after time: Duration, isTooLong expected: Bool) {
        let isTooLong = sut.isTooLong(at: now + time)
        #expect(isTooLong == expected)
    }

    @Test(arguments: [(24_999, false), (25_000, true), (25_999, true)])
    func `a stream is silent for too long after five times the maximum age`(age: Int, isTooLong: Bool) {
        var sut = makeSUT()
        #expect(sut.deadline == Deadline(in: .seconds(25), from: now))
        expect(&sut, after: .milliseconds(age), isTooLong: isTooLong)
    }

    @Test func `a price resets the time`() {
        var sut = makeSUT()
        sut.restart(at: now + .seconds(20))
        expect(&sut, after: .seconds(44), isTooLong: false)
        expect(&sut, after: .seconds(45), isTooLong: true)
    }

    @Test func `after a suspension the stream gets its full time again`() {
        var sut = makeSUT()
        expect(&sut, after: .seconds(26), isTooLong: false)
        expect(&sut, after: .seconds(50), isTooLong: false)
        expect(&sut, after: .seconds(51), isTooLong: true)
    }
}
