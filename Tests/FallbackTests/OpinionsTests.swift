import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The prices that are remembered of each source, and for how long.
@Suite(.unit) struct OpinionsTests {
    private let start = Deadline.Instant.now

    private func opinion(_ price: String, from name: String) -> Opinion {
        anOpinion(anyQuote(price), from: name)
    }

    /// Compares a quote of 100 of source `a` with an opinion that a second source gave earlier.
    ///
    /// - Parameter time: since that opinion, in milliseconds.
    /// - Returns: the names of the sources that contradict the quote.
    private func against(_ other: Opinion, at time: Int = 1) -> [String] {
        var sut = Opinions(within: .usual)
        sut.record(other, of: 1, at: start)
        return sut.contradicting(opinion("100", from: "a"), of: 9, at: start + .milliseconds(time))
            .map(\.opinion.name)
    }

    @Test(.fault(56), arguments: [(0, ["b"]), (119_999, ["b"]), (120_000, []), (120_001, [])])
    func `an opinion is valid for two minutes`(time: Int, names: [String]) {
        #expect(against(opinion("111", from: "b"), at: time) == names)
    }

    @Test func `only new quotes with the same currency and different names are compared`() {
        let euros = Quote(price: Price("111")!, currency: Currency("EUR")!, timestamp: anyTime())
        #expect(against(opinion("111", from: "a")) == [])
        #expect(against(anOpinion(euros, from: "b")) == [])
        #expect(against(anOpinion(anyQuote("111"), from: "b", isStored: true)) == [])
    }

    @Test
    func `an outvoted source counts again when no other source confirms the quote, or when it agrees`() {
        // Given a third source that was outvoted
        var sut = Opinions(within: .usual)
        for (source, price) in ["100", "101", "200"].enumerated() {
            sut.record(opinion(price, from: "\(source)"), of: source, at: start)
        }
        func contradicting(_ price: String, after seconds: Int) -> [String] {
            sut.contradicting(opinion(price, from: "0"), of: 9, at: start + .seconds(seconds)).map(
                \.opinion.name)
        }
        #expect(contradicting("100", after: 1) == ["2"])
        sut.outvote(contradicting: opinion("100", from: "0"))
        #expect(contradicting("100", after: 1) == [])
        // When it repeats its price while the second source is silent, it counts once the second opinion expires
        sut.record(opinion("200", from: "2"), of: 2, at: start + .seconds(60))
        #expect(contradicting("100", after: 119) == [] && contradicting("100", after: 120) == ["2"])
        // When it agrees with the second one, it counts immediately
        sut.record(opinion("102", from: "2"), of: 2, at: start + .seconds(61))
        #expect(contradicting("200", after: 62) == ["1", "2"])
    }
}
