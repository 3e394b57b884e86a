import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The policy for a single tick, in particular just before, at and just after each time limit.
/// `Simulation.expect` explains the steps.
@Suite(.unit) struct FetchWithFallbackTests {
    private let tick = anyTick()

    // MARK: one primary, one fallback

    @Test func `a tick goes to the primary only, and the primary's quote is used as soon as it arrives`() {
        var sut = Simulation(asking: tick)
        sut.expect("1 → ", "70 0v → 0v")
        _ = sut.read(quoted("0", tick), from: 0, at: 70)
        #expect(sut.pendingCount == 0 && sut.nextDeadline == nil)
    }

    @Test func `the primary has 800 ms to answer`() {
        Simulation().expect("0 tick → ask 0/800", "799 0v → 0v")
        Simulation().expect("0 tick → ask 0/800", "800 0v → ask 1/200")
        Simulation().expect("0 tick → ask 0/800", "801 0v → ask 1/199")
    }

    @Test func `a fallback's quote is used only if it arrives before the budget ends`() {
        let sut = Simulation(asking: tick)
        sut.expect("800 → ask 1/200", "999 1v → 1v after 0>800")
        sut.expect("800 → ask 1/200", "1000 1v → none after 0>800 and 1>1000")
        sut.expect("800 → ask 1/200", "1001 1v → none after 0>800 and 1>1000")
    }

    @Test func `if the primary fails early, the fallback gets the rest of the budget`() {
        Simulation(asking: tick).expect("30 0x → ask 1/970")
    }

    // MARK: several fallbacks, or none

    @Test func `all fallbacks are queried at the same time`() {
        Simulation(4, asking: tick).expect("800 → ask 1/200, ask 2/200, ask 3/200")
    }

    @Test func `a later fallback's quote is not used while an earlier fallback can still answer`() {
        Simulation(3, asking: tick).expect(
            "10 0x → ask 1/990, ask 2/990", "20 2b → ", "300 1x → 2b after 0x and 1x")
    }

    @Test func `a quote from an earlier fallback wins, even if a later fallback is faster`() {
        Simulation(3, asking: tick).expect("10 0x → ask 1/990, ask 2/990", "20 2b → ", "30 1a → 1a after 0x")
    }

    @Test func `if the earlier fallback is silent, a later fallback's quote is used when the budget ends`() {
        Simulation(3, asking: tick).expect(
            "10 0x → ask 1/990, ask 2/990", "20 2b → ", "999 → ", "1000 → 2b after 0x and 1>1000")
    }

    @Test
    func `without a fallback, a failed primary is reported immediately, and a silent primary after 800 ms`() {
        var sut = Simulation(1, asking: tick)
        #expect(sut.nextDeadline == 800)
        sut.expect("30 0x → none after 0x")
        sut.expect("799 → ", "800 → none after 0>800")
    }

    // MARK: limits

    @Test func `the fallbacks are queried after the hedge time, while the primary may still answer`() {
        let sut = Simulation(hedge: 300, asking: tick)
        sut.expect("299 → ", "300 → ask 1/700")
        sut.expect("301 → ask 1/699")
        Simulation(hedge: 0).expect("0 tick → ask 0/800, ask 1/1000")
    }

    @Test
    func `after the hedge time, the primary's quote is preferred to a fallback's if both arrive in time`() {
        let sut = Simulation(hedge: 300, asking: tick)
        sut.expect("300 → ask 1/700", "350 1b → ", "799 0a → 0a")
        sut.expect("300 → ask 1/700", "350 1b → ", "800 → 1b after 0>800")
    }

    @Test func `the deadlines are the hedge time, the primary's time limit and the end of the budget`() {
        var sut = Simulation(hedge: 300, asking: tick)
        var deadlines: [Int?] = []
        for time in [299, 300, 799, 800, 999, 1000] {
            _ = sut.advance(to: time)
            deadlines.append(sut.nextDeadline)
        }
        #expect(deadlines == [300, 800, 800, 1000, 1000, nil])
    }

    @Test func `a timeout longer than the budget is shortened to the budget`() {
        Simulation(timeout: 5000).expect("0 tick → ask 0/1000", "999 → ", "1000 → none after 0>1000")
    }

    // MARK: failures that a source reports

    @Test func `the failures that sources report are passed on in the order of the sources`() {
        var sut = Simulation(3, asking: tick)
        for source in [0, 2] { _ = sut.read(failed("\(source)", tick), from: source, at: 10) }
        let nested = [anyFailure("a", .denied), anyFailure("b", .timeout)]
        let answer = sut.read(Reading(answering: tick, nested), from: 1, at: 30)
        let failures = [anyFailure("0", .network)] + nested + [anyFailure("2", .network)]
        #expect(answer == [.answer(Reading(answering: tick, failures))])
    }

    @Test func `the primary's failures come before the failures that a nested fallback reports`() {
        var sut = Simulation(asking: tick)
        #expect(sut.read(failed("0", tick), from: 0, at: 10).count == 1 && sut.nextDeadline == 1000)
        let nested = Reading(answering: tick, anyQuote(), from: "b", after: [anyFailure("a", .denied)])
        let failures = [anyFailure("0", .network), anyFailure("a", .denied)]
        let expected = Reading(answering: tick, anyQuote(), from: "b", after: failures)
        #expect(sut.read(nested, from: 1, at: 30) == [.answer(expected)])
    }

    // MARK: wrong currencies and old prices

    @Test(arguments: ["BTC-USD", "AAPL", "BTC-100-EUR", "A-B"])
    func `a price in US dollars is accepted for a USD pair and for a symbol that is not a pair`(
        symbol: String
    ) {
        Simulation().expect("0 tick \(symbol) → ask 0/800 \(symbol)", "70 0v \(symbol) → 0v \(symbol)")
    }

    @Test func `a price that is not in the currency of its pair is rejected`() {
        Simulation().expect(
            "0 tick BTC-EUR → ask 0/800 BTC-EUR", "70 0v BTC-EUR → ask 1/930 BTC-EUR",
            "80 1x BTC-EUR → none after 0 invalid-data: the price is in USD, not EUR and 1x BTC-EUR")
    }

    @Test(
        arguments: [
            (0, false, nil, false), (1, false, nil, true), (1, true, nil, false), (1, false, .day, false),
        ] as [(Int, Bool, Candle?, Bool)])
    func `a price more than a year old is rejected unless it is stored or belongs to a candle`(
        excess: Int, isStored: Bool, candle: Candle?, isRejected: Bool
    ) {
        let tick = Tick(number: 12, at: anyTime(), candle: candle)
        var sut = Simulation(asking: tick)
        let time = Timestamp(milliseconds: anyTime().milliseconds - 365 * 86_400_000 - excess)
        var reading = Reading(answering: tick, anyQuote(at: time), from: "primary")
        reading.isStored = isStored
        let actions = sut.read(reading, from: 0, at: 70)
        #expect(actions.first.map { if case .ask = $0 { true } else { false } } == isRejected)
    }
}
