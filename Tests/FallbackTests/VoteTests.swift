import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The winner of a vote, by its place. In a ballot such as `a100`, the letter is the source's name, a capital one if the quote
/// is stored, and the number its price.
@Suite(.unit) struct VoteTests {
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
