import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The prices that are remembered of each source, and for how long; and the vote between the prices of one tick.
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

    // MARK: votes

    /// In a ballot such as `a100`, the letter is the source's name, a capital one if the quote is stored, and the number its
    /// price.
    @Test(
        .fault(56),
        arguments: [
            ("a1", nil), ("a1 b2", nil), ("a1 b2 c2", 1), ("a2 b1 c2", 0), ("a2 b2 c1", 0), ("a1 b2 c3", nil),
            ("a1 b1 c2 d2", nil), ("a1 b2 c2 d2", 1), ("a1 b2 c3 d3", 2),
            // The price in the middle agrees with both others, which do not agree with each other.
            ("a100 b109 c118", 1), ("a109 b100 c118", 0),
            // Two sources with the same name share one vote.
            ("a1 a1 c2", nil), ("a1 a1 c2 d2 e2", 2),
            // A stored quote cannot vote but can be supported.
            ("A1 b1 c2", nil), ("A1 b1 c1 d2", 0), ("A1 b2 c2", 1),
        ] as [(String, Int?)])
    func `a quote wins if more sources support it than any that contradicts it`(ballots: String, place: Int?)
    {
        let quotes = ballots.split(separator: " ").map { ballot in
            anOpinion(
                anyQuote(String(ballot.dropFirst())), from: ballot.prefix(1).lowercased(),
                isStored: ballot.first!.isUppercase)
        }
        #expect(Vote.winner(among: quotes, within: .usual) == place)
    }
}
