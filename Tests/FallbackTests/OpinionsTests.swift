import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The prices that are remembered of each source, and for how long.
@Suite(.unit) struct OpinionsTests {
    private let start = Deadline.Instant.now

    private func opinion(_ price: String, from name: String = "a") -> Opinion {
        anOpinion(anyQuote(price), from: name)
    }

    /// Compares a quote of 100 with an opinion that a second source gave earlier.
    ///
    /// - Parameter time: since that opinion, in milliseconds.
    /// - Returns: the names of the sources that contradict the quote.
    private func against(_ other: Opinion, at time: Int) -> [String] {
        var sut = Opinions(within: .usual)
        sut.record(other, of: 1, at: start)
        return sut.contradicting(opinion("100"), of: 9, at: start + .milliseconds(time)).map(\.opinion.name)
    }

    @Test(.fault(56), arguments: [(0, true), (119_999, true), (120_000, false), (120_001, false)])
    func `an opinion is valid for two minutes`(time: Int, isValid: Bool) {
        #expect(against(opinion("111", from: "b"), at: time) == (isValid ? ["b"] : []))
    }

    @Test func `only quotes with the same currency and different names are compared`() throws {
        #expect(against(opinion("111", from: "a"), at: 1) == [])
        let euros = Quote(
            price: try #require(Price("111")), currency: try #require(Currency("EUR")), timestamp: anyTime())
        #expect(against(anOpinion(euros, from: "b"), at: 1) == [])
    }

    @Test func `a stored quote is not an opinion`() {
        #expect(against(anOpinion(anyQuote("111"), from: "b", isStored: true), at: 1) == [])
    }

    @Test
    func `only quotes of the same symbol are compared, and a single source is never contradicted`()
        throws
    {
        for (sources, symbol, asked) in [(2, "BTC-USD", 2), (2, "BTC-EUR", 1), (1, "BTC-USD", 1)] {
            var sut = Simulation(sources, agree: .usual)
            let opinion = quoted("b", anyTick(99, symbol: symbol), "111")
            _ = sut.handle(.reading(opinion, from: sources - 1), at: 0)
            let tick = anyTick(symbol: "BTC-USD")
            _ = sut.handle(.tick(tick), at: 0)
            let actions = sut.read(quoted("a", tick, "100"), from: 0, at: 70)
            #expect(actions == [asked == 1 ? .answer(quoted("a", tick, "100")) : .ask(1, tick.within(930))])
        }
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
