import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The winner of a vote. In a ballot such as `a100`, the letter is the source's name and the number its price.
@Suite(.unit) struct VoteTests {
    private func winner(_ ballots: String, stored: Set<Int> = []) -> Int? {
        let quotes = ballots.split(separator: " ").enumerated().map { place, ballot in
            anOpinion(
                anyQuote(String(ballot.dropFirst())), from: String(ballot.prefix(1)),
                isStored: stored.contains(place))
        }
        return Vote.winner(among: quotes, within: .usual)
    }

    @Test(
        .fault(56),
        arguments: [
            ("a1", nil), ("a1 b2", nil), ("a1 b2 c2", 1), ("a2 b1 c2", 0), ("a2 b2 c1", 0), ("a1 b2 c3", nil),
            ("a1 b1 c2 d2", nil), ("a1 b2 c2 d2", 1), ("a1 b2 c3 d3", 2),
            // The price in the middle agrees with both others, which do not agree with each other.
            ("a100 b109 c118", 1), ("a109 b100 c118", 0),
        ] as [(String, Int?)])
    func `a quote wins if more sources support it than any that contradicts it`(ballots: String, place: Int?)
    {
        #expect(winner(ballots) == place)
    }

    @Test func `two sources with the same name share one vote`() {
        #expect(winner("a1 a1 c2") == nil)
        #expect(winner("a1 a1 c2 d2 e2") == 2)
    }

    @Test func `a stored quote cannot vote but can be supported`() {
        #expect(winner("a1 b1 c2", stored: [0]) == nil)
        #expect(winner("a1 b1 c1 d2", stored: [0]) == 0)
        #expect(winner("a1 b2 c2", stored: [0]) == 1)
    }
}
