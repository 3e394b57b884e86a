import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How long the last price of a stream stays valid, and when a stream that sends no prices counts as silent.
@Suite(.unit) struct StreamedPriceTests {
    private let now = Deadline.Instant.now

    private func makeSUT(_ messages: String...) -> (sut: StreamedPrice, hasPrice: Bool) {
        var sut = StreamedPrice(at: "/c", maxAge: .seconds(5))
        let hasPrice = sut.receive(messages.map { Array($0.utf8) }, received: anyTime(), at: now)
        return (sut, hasPrice)
    }

    @Test(arguments: [(4999, true), (5000, false), (5001, false)])
    func `a price expires when its age reaches the limit`(age: Int, counts: Bool) {
        let (sut, _) = makeSUT(#"{"c":"68901.23"}"#)
        #expect(sut.quote(in: .usDollar, at: now + .milliseconds(age)) == (counts ? anyQuote() : nil))
    }

    @Test func `the last valid price is used, and messages without a valid price are ignored`() {
        let (sut, hasPrice) = makeSUT(#"{"c":"1.50"}"#, #"{"c":2.50}"#, "{}", "no JSON", #"{"c":"-1"}"#)
        #expect(hasPrice && sut.quote(in: .usDollar, at: now)?.price.text == "2.50")
        let (empty, isPriced) = makeSUT("{}")
        #expect(!isPriced && empty.quote(in: .usDollar, at: now) == nil)
    }

    @Test(arguments: [
        (nil, 24_999, false), (nil, 25_000, true), (nil, 25_999, true),
        // If a price arrives or a suspension ends after 20 seconds, the time limit restarts.
        (20, 44_999, false), (20, 45_000, true),
    ])
    func `a stream that sends no price for five times the maximum age counts as silent`(
        event: Int?, age: Int, expected: Bool
    ) {
        var sut = StreamSilence(maxAge: .seconds(5))
        sut.restart(at: now)
        #expect(sut.deadline == Deadline(in: .seconds(25), from: now))
        if event == 20 { sut.restart(at: now + .seconds(20)) }
        #expect(sut.isTooLong(at: now + .milliseconds(age)) == expected)
    }
}
