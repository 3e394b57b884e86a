import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Disputes about a single tick: the sources that are queried, and the contents of the reading. In the steps
/// (see `Simulation.expect`), the compared prices follow `of`, and `a`, `b` and `c` are the prices 100, 200
/// and 300.
@Suite(.unit) struct DisputeTests {
    private let tick = anyTick()

    /// A simulation in which each fallback has already quoted a price. Each character of `answers` stands for one
    /// fallback's price.
    private func makeSUT(heard answers: String) -> Simulation {
        var sut = Simulation(answers.count + 1, agree: .usual)
        for (place, answer) in answers.enumerated() {
            _ = sut.handle(Simulation.answer(of: place + 1, answer, to: anyTick(99))!, at: 0)
        }
        return sut
    }

    @Test(.fault(56))
    func `if prices disagree, all other sources are queried, and the outvoted source is listed as failed`() {
        makeSUT(heard: "aa").expect(
            "0 tick → ask 0/800", "70 0b → ask 1/930, ask 2/930", "140 1a → ",
            "210 2a → 1a after 0 disputed: 0 200, 1 100, 2 100 of 0b 1a 2a undisputed")
    }

    @Test(.fault(56)) func `an outvoted source does not win the next vote if another source can win it`() {
        Simulation(3, hedge: 0, agree: .usual).expect(
            "0 0:0=150 99 & 1a 99 & 2a 99 → ",
            "0 tick → ask 0/800, ask 1/1000, ask 2/1000", "10 0:0=150 → ", "20 1a → ",
            "30 2a → 1a after 0 disputed: 0 150, 1 100, 2 100 of 0=150 1a 2a undisputed",
            "1000 tick 14 → ask 0/800 14, ask 1/1000 14, ask 2/1000 14", "1010 0:0=107 14 → ",
            "1020 1:1=130 14 → ",
            "1030 2a 14 → 2a after 0 disputed: 0 107, 1 130, 2 100 and 1 disputed: 1 130, 0 107, 2 100 14 "
                + "of 0=107 1=130 2a undisputed")
    }

    @Test(.fault(56)) func `an outvoted fallback is also listed as failed`() {
        makeSUT(heard: "ba").expect(
            "0 tick → ask 0/800", "70 0a → ask 1/930, ask 2/930", "140 1b → ",
            "210 2a → 0a after 1 disputed: 1 200, 0 100, 2 100 of 0a 1b 2a undisputed")
    }

    @Test(.fault(56))
    func `if the only two sources disagree, the primary's quote is used but marked as disputed`() {
        let marked = "0b after 0 disputed: 0 200, 1 100 of 0b 1a disputed"
        let asked = "ask 0/800, ask 1/1000"
        let sut = makeSUT(heard: "a")
        // The fallback is queried again five seconds after the vote.
        sut.expect("0 tick & 0b → \(asked)", "140 1a → \(marked)", "5140 tick & 0b → \(asked)")
        sut.expect("0 tick → ask 0/800", "70 0b → ask 1/930", "999 → ", "1000 → \(marked)")
    }

    @Test(.fault(56)) func `a quote that arrives too late still counts as an opinion`() {
        Simulation(agree: .usual, asking: tick).expect(
            "800 → ask 1/200", "1000 → none after 0>800 and 1>1000", "1500 1a → ",
            "2000 tick → ask 0/800", "2070 0b → ask 1/930", "2080 1b 13 → 0b")
    }

    @Test func `candles are not compared and do not count as opinions`() {
        makeSUT(heard: "a").expect("0 tick 1d@20 → ask 0/800 1d@20", "70 0b 1d@20 → 0b 1d@20")
        Simulation(agree: .usual).expect(
            "0 1a 1d@20 → ", "100 tick → ask 0/800", "170 0b → 0b")
    }

    @Test func `a quote is compared only with other sources' quotes for the same symbol`() {
        makeSUT(heard: "a").expect("0 tick ETH-USD → ask 0/800 ETH-USD", "70 0b ETH-USD → 0b ETH-USD")
        Simulation(2, agree: .usual).expect("0 0a → ", "0 tick → ask 0/800", "70 0b → 0b")
    }

    @Test(.fault(56)) func `a probe that returns an outvoted price does not close the circuit breaker`() {
        // Given a primary that is outvoted three times and then returns the wrong price in three probes
        var sut = makeSUT(heard: "aa")
        for second in 0..<6 {
            sut.expect("\(second * 1000) tick → ask 0/800\(second < 3 ? "" : ", ask 1/1000, ask 2/1000")")
            _ = sut.play(second, ["b", "a", "a"])
        }
        // When the primary agrees with the others in a probe
        sut.expect("6000 tick → ask 0/800, ask 1/1000, ask 2/1000")
        _ = sut.play(6, ["a", "a", "a"])
        // Then the next tick waits for the primary again
        sut.expect("7000 tick → ask 0/800")
    }

    // MARK: names and stored quotes

    @Test func `an exchange's push feed and its answers to requests count as one opinion`() {
        // Two sources for one exchange do not outvote a single source for another exchange.
        Simulation(3, agree: .usual).expect(
            "0 1:0=200 & 2a → ", "0 tick → ask 0/800", "70 0b → ask 1/930, ask 2/930", "80 1:0=200 → ",
            "90 2a → 0b after 0 disputed: 0 200, 2 100 of 0b 0b 2a disputed")
    }

    @Test(.fault(65)) func `the winner is not disputed, even if the outvoted source has the same name`() {
        // The push feed of an exchange is wrong, and the exchange's answer to a request is right.
        Simulation(3, agree: .usual).expect(
            "0 1:0=100 & 2a → ", "0 tick → ask 0/800", "70 0b → ask 1/930, ask 2/930", "80 1:0=100 → ",
            "90 2a → 0a after 0 disputed: 0 200, 2 100 of 0b 0a 2a undisputed")
    }

    @Test func `a stored quote can be outvoted`() {
        makeSUT(heard: "aa").expect(
            "0 tick → ask 0/800", "10 0=200* → ask 1/990, ask 2/990", "20 1a → ",
            "30 2a → 1a after 0 disputed: 0 200, 1 100, 2 100 of 0b 1a 2a undisputed")
    }

    // MARK: members that are passed on

    @Test(arguments: [true, false])
    func `a dispute that a source reports among its own sources is passed on with the compared prices`(
        isDisputed: Bool
    ) {
        var sut = Simulation(agree: .usual, asking: tick)
        let failure = Failure(source: "a", kind: .disputed, message: "a 1, b 2")
        var inner = Reading(answering: tick, anyQuote("1"), from: "a", after: [failure])
        inner.prices = [
            SourcePrice(source: "a", price: Price("1")!), SourcePrice(source: "b", price: Price("2")!),
        ]
        inner.ownDispute = isDisputed
        #expect(sut.read(inner, from: 0, at: 70) == [.answer(inner)])
    }

    @Test func `a fallback's reading is passed on with its flags and the primary's failure`() {
        var sut = Simulation(agree: .usual, asking: tick)
        _ = sut.read(failed("0", tick), from: 0, at: 70)
        var reading = quoted("1", tick)
        (reading.isClosed, reading.isStored, reading.isMadeUp) = (true, true, true)
        let actions = sut.read(reading, from: 1, at: 140)
        reading.failures = [anyFailure("0", .network)]
        #expect(actions == [.answer(reading)])
    }
}
