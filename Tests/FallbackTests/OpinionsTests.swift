import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The time for which each source's last price is remembered, the limit on second opinions per second, and the vote on
/// the prices of one tick.
@Suite(.unit) struct OpinionsTests {
    private let start = Deadline.Instant.now

    private func names(contradicting quote: String, in sut: Opinions, at time: Deadline.Instant) -> [String] {
        sut.contradicting(opinions(quote)[0], of: 9, at: time).map(\.opinion.name)
    }

    @Test(.fault(56), arguments: [(59_999, ["b"]), (60_000, ["b"]), (119_999, ["b"]), (120_000, [])])
    func `an opinion is valid for two minutes`(milliseconds: Int, names: [String]) {
        var sut = Opinions(within: .usual)
        sut.record(opinions("b111")[0], of: 1, at: start)
        let time = start + .milliseconds(milliseconds)
        sut.record(opinions("a100")[0], of: 0, at: time)
        // After a minute, another opinion is needed to check the primary's quote.
        #expect(sut.needsSecond(at: time) == (milliseconds >= 60_000))
        #expect(self.names(contradicting: "a100", in: sut, at: time) == names)
    }

    @Test(arguments: ["a111", "b111€", "B111"])
    func `a second opinion must be a current quote in the same currency from a source with another name`(
        other: String
    ) {
        var sut = Opinions(within: .usual)
        for (i, quote) in opinions("a100 \(other)").enumerated() { sut.record(quote, of: i, at: start) }
        #expect(names(contradicting: "a100", in: sut, at: start) == [] && sut.needsSecond(at: start))
    }

    @Test func `a quote in another currency does not replace an opinion`() {
        var sut = Opinions(within: .usual)
        for opinion in opinions("b111 b100€") { sut.record(opinion, of: 1, at: start) }
        #expect(names(contradicting: "a100", in: sut, at: start) == ["b"])
    }

    @Test
    func `an outvoted source counts again when the opinions against it expire or when it agrees with them`() {
        // Given a third source that was outvoted
        var sut = Opinions(within: .usual)
        for (source, opinion) in opinions("a100 b101 c200").enumerated() {
            sut.record(opinion, of: source, at: start)
        }
        func contradicting(_ quote: String, after seconds: Int) -> [String] {
            names(contradicting: quote, in: sut, at: start + .seconds(seconds))
        }
        #expect(contradicting("a100", after: 1) == ["c"])
        sut.outvote(differingFrom: opinions("a100")[0], of: 0)
        #expect(contradicting("a100", after: 1) == [])
        // When the third source repeats its price while the second source is silent, the third source counts again as
        // soon as the second source's opinion expires
        sut.record(opinions("c200")[0], of: 2, at: start + .seconds(60))
        #expect(contradicting("a100", after: 119) == [] && contradicting("a100", after: 120) == ["c"])
        #expect(!sut.isSetAside(opinions("c200")[0], of: 2, at: start + .seconds(120)))
        // When the third source's price differs from the second source's price by at most half of the tolerance, the
        // third source counts again immediately
        sut.record(opinions("c107")[0], of: 2, at: start + .seconds(61))
        #expect(contradicting("a96", after: 62) == [])
        sut.record(opinions("c106")[0], of: 2, at: start + .seconds(61))
        #expect(contradicting("a96", after: 62) == ["c"])
    }

    @Test(.fault(63), arguments: [(2, [0, 2, 0, 100]), (100, [0, 2, 0, 100]), (101, [0, 3, 0, 150])])
    func `second opinions are limited to 2 symbols per second, or to 2% of the symbols if that is more`(
        count: Int, allowed: [Int]
    ) {
        var sut = OpinionPace()
        // Every other beat has the same number as the beat before it, as if the clock had been restarted.
        for (beat, (time, left)) in zip([0, 1000, 1333, 102_000], allowed).enumerated() {
            let first = sut.record(count, ofBeat: beat / 2, at: start + .milliseconds(time))
            // In the second beat, the first symbols have their turn, so the next symbol is first in the third beat.
            #expect(first == 0 && sut.left == left && sut.turn == (beat > 1 && count > 2 ? allowed[1] : 0))
            if beat == 1 { for symbol in 0..<left { sut.use(for: symbol) } }
        }
    }

    // MARK: votes

    /// The quotes (see `opinions`) and the winner's position among them, counted from 0; nil if no quote wins.
    @Test(
        .fault(56),
        arguments: [
            ("a1", nil), ("a1 b2", nil), ("a1 b2 c2", 1), ("a2 b1 c2", 0), ("a2 b2 c1", 0), ("a1 b2 c3", nil),
            ("a1 b1 c2 d2", nil), ("a1 b2 c2 d2", 1), ("a1 b2 c3 d3", 2),
            // The price in the middle agrees with both other prices, which do not agree with each other.
            ("a100 b109 c118", 1), ("a109 b100 c118", 0),
            // Two sources with the same name share one vote.
            ("a1 a1 c2", nil), ("a1 a1 c2 d2 e2", 2),
            // A stored quote cannot vote but can be supported.
            ("A1 b1 c2", nil), ("A1 b1 c1 d2", 0), ("A1 b2 c2", 1), ("a2 b1 A1", nil), ("a2 b1 c1 A1", 1),
        ] as [(String, Int?)])
    func `a quote with at least two supporters wins if every contradicting quote has fewer supporters`(
        ballots: String, place: Int?
    ) {
        #expect(Vote.winner(among: opinions(ballots), within: .usual) == place)
    }
}
