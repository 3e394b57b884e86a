import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The rules by which answers are matched to ticks. `Simulation.expect` explains the steps.
@Suite(.unit) struct AnswerMatchingTests {
    private let tick = anyTick()

    @Test(arguments: ["0v 11", "0v ETH-USD", "1v"])
    func `an answer is discarded unless it matches the tick and comes from a source that was queried`(
        answer: String
    ) {
        Simulation(asking: tick).expect("10 \(answer) → ", "20 0v → 0v")
    }

    @Test func `a duplicate answer is discarded`() {
        Simulation(asking: tick).expect("10 0v → 0v", "11 0a → ")
    }

    @Test func `a late answer is discarded, even while a later tick is pending`() {
        Simulation(1, asking: tick).expect(
            "800 → none after 0>800", "1000 tick 13 → ask 0/800 13", "1500 0v → ", "1510 0v 13 → 0v 13")
    }

    @Test func `an answer without a symbol belongs to a tick for BTC-USD`() {
        Simulation().expect("0 tick BTC-USD → ask 0/800 BTC-USD", "10 0v → 0v BTC-USD")
    }

    @Test func `the ticks of one beat each get the quote for their own symbol`() {
        Simulation().expect(
            "0 tick & tick ETH-USD → ask 0/800, ask 0/800 ETH-USD", "10 0a ETH-USD → 0a ETH-USD", "20 0b → 0b"
        )
    }

    @Test func `the ticks of one symbol are answered in order`() {
        Simulation(asking: tick).expect(
            "100 tick 13 → ask 0/800 13", "150 0a 13 → ", "160 0b → 0b, 0a 13")
    }

    @Test func `when the primary ends, its pending queries fail at once, and the fallback is queried`() {
        Simulation(asking: tick).expect(
            "100 tick 13 → ask 0/800 13", "200 0e → ask 1/800, ask 1/900 13",
            "210 1v → 1v after 0 exited: gone")
    }

    @Test func `if a source answers one of two ticks and then ends, the fallback gets only the other tick`() {
        Simulation().expect(
            "0 tick 1 & tick 2 → ask 0/800 1, ask 0/800 2", "10 0v 1 & 0e → ask 1/990 2, 0v 1")
    }

    @Test func `a source is called by the name in its last reading, even if that reading is a failure`() {
        Simulation(1).expect(
            "0 tick 1 & 0e → ask 0/800 1, none after 0 exited: gone 1", "1000 tick & 0:a=100 → ask 0/800, aa",
            "2000 tick 2 & 0e → ask 0/800 2, none after a exited: gone 2")
        var sut = Simulation(1, asking: anyTick())
        _ = sut.read(failed("binance", anyTick()), from: 0, at: 1)
        sut.expect("2000 tick → ask 0/800", "2001 0e → none after binance exited: gone")
    }

    @Test func `a quote that another pipeline marked with the error flag does not count as a new quote`() {
        var sut = Simulation(1, asking: tick)
        var stale = quoted("cached", tick)
        stale.error = true
        let failure = Failure(source: "cached", kind: .invalidData, message: "no new quote")
        #expect(sut.read(stale, from: 0, at: 10) == [.answer(Reading(answering: tick, [failure]))])
    }
}
