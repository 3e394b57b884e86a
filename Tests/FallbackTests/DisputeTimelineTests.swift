import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Disputes as timelines, one character per second. Sources behave as in `Simulation.answer`. The result of each tick
/// is the letter of the price, in uppercase if the price is disputed, or `S` if there is no price. `heard` contains
/// each source's earlier answer, or `.` if there is none.
@Suite(.unit) struct DisputeTimelineTests {
    struct Dispute: CustomTestStringConvertible, Sendable {
        let heard: String
        let sources: [String]
        let shown: String
        var testDescription: String { "\(heard): \(sources.joined(separator: " ")) \(shown)" }

        init(_ heard: String, _ sources: String..., shown: String) {
            (self.heard, self.sources, self.shown) = (heard, sources, shown)
        }
    }

    @Test(
        .fault(56),
        arguments: [
            // While all sources agree, only the primary is queried.
            Dispute(".aa", "aaaaa", "-----", "-----", shown: "aaaaa"),
            // The primary is wrong now and then: it is outvoted each time, and it is used again as soon
            // as it agrees.
            Dispute(".aa", "abaab", "-a--a", "-a--a", shown: "aaaaa"),
            // The primary stays wrong: from the fourth tick on it is only probed, until it agrees.
            Dispute(".aa", "bbbbbaa", "aaaaaa-", "aaaaaa-", shown: "aaaaaaa"),
            // The first tick settles the dispute, and the second tick does not need the last source's answer.
            Dispute(".aa", "bb", "aa", "a.", shown: "aa"),
            // A fallback is wrong: both fallbacks are queried once, and the wrong fallback is outvoted.
            Dispute(".ab", "aaaaaa", "a-----", "b-----", shown: "aaaaaa"),
            Dispute(".ba", "aaaaaa", "b-----", "a-----", shown: "aaaaaa"),
            // The price has moved. In the first case, both other sources confirm the new price. In the second
            // case, both are silent. In the third case, one fails, and the other confirms the new price.
            Dispute(".aa", "bb", "b-", "b-", shown: "bb"), Dispute(".aa", "bb", ".-", ".-", shown: "BB"),
            Dispute(".aa", "bb", "x-", "b-", shown: "bb"),
            // With two sources there is no majority. The fallback is queried again after a five-second pause.
            Dispute(".a", "bbbbbbbb", "a-----a-", shown: "BBBBBBBB"),
            Dispute(".a", "bbaab", "a----", shown: "BBaaB"),
            Dispute(".a", "bbbbbbbb", "a-----b-", shown: "BBBBBBbb"),
            // When a primary that was silent answers again, even a disputed price closes the circuit breaker.
            Dispute("..", "...bbbb", "aaaa---", shown: "aaaBBBB"),
            // There is no majority: all prices differ, or two sources contradict two others.
            Dispute(".aa", "bbb", "a--", "c--", shown: "BBB"),
            Dispute(".aaa", "bbb", "b--", "a--", "a--", shown: "BBB"),
            // Two sources agree, and each of the other sources has a different price.
            Dispute(".aaa", "bbb", "ccc", "aaa", "aaa", shown: "aaa"),
            // The primary fails, and the first fallback is wrong. Two other fallbacks outvote it; a single
            // other fallback cannot.
            Dispute("aaa.", "xx", "bb", "aa", "aa", shown: "aa"), Dispute("aaa", "x", "b", "a", shown: "B"),
            // The primary is wrong and is outvoted once; then the fallbacks fail while the primary is still wrong.
            Dispute(".aa", "bbb", "axx", "axx", shown: "aBB"),
            // No source has quoted a price yet.
            Dispute("...", "b", "-", "-", shown: "b"),
        ])
    func `a contradicted price is outvoted if other sources agree, or else it is marked as disputed`(
        dispute: Dispute
    ) {
        var sut = Simulation(dispute.sources.count, agree: .usual)
        for (source, state) in dispute.heard.enumerated() {
            guard let event = Simulation.answer(of: source, state, to: anyTick(1000)) else { continue }
            _ = sut.handle(event, at: 0)
        }
        let shown = (0..<dispute.sources[0].count).map { second in
            sut.play(second, dispute.sources.map { Array($0)[second] }).map(letter).joined()
        }
        #expect(shown.joined() == dispute.shown)
    }

    private func letter(_ reading: Reading) -> String {
        let price = reading.quote.map { ["100": "a", "200": "b", "300": "c"][$0.price.text]! }
        return !reading.isDisputed ? price ?? "S" : price!.uppercased()
    }
}
