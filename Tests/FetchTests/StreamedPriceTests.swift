import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.unit) struct StreamedPriceTests {
    private let now = Deadline.Instant.now

    private func makeSUT(_ messages: String...) -> (sut: StreamedPrice, hasPrice: Bool) {
        var sut = StreamedPrice(at: "/c", maxAge: .seconds(5))
        let hasPrice = sut.receive(messages.map { Array($0.utf8) }, received: anyTime(), at: now)
        return (sut, hasPrice)
    }

    @Test(arguments: [(4999, true), (5000, false), (5001, false)])
    func `a price expires when it is as old as the limit`(age: Int, counts: Bool) {
        let (sut, _) = makeSUT(#"{"c":"68901.23"}"#)
        let quote = sut.quote(in: .usDollar, at: now + .milliseconds(age))
        #expect(quote == (counts ? anyQuote() : nil))
    }

    @Test func `the last price of several messages is used, and messages without a price are ignored`() {
        let (sut, hasPrice) = makeSUT(#"{"c":"1.50"}"#, #"{"c":2.50}"#, "{}", "no JSON", #"{"c":"-1"}"#)
        #expect(hasPrice && sut.quote(in: .usDollar, at: now)?.price.text == "2.50")
    }

    @Test func `without a price there is no quote`() {
        let (sut, hasPrice) = makeSUT("{}")
        #expect(!hasPrice && sut.quote(in: .usDollar, at: now) == nil)
    }
}
