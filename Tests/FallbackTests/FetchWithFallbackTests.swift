import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The policy for a single tick: just before, at, and just after each time limit.
@Suite(.unit) struct FetchWithFallbackTests {
    private let tick = anyTick()

    @Test func `a tick goes to the primary only, which has 800 ms to answer`() {
        var sut = Simulation()
        #expect(sut.handle(.tick(tick), at: 0) == [.ask(0, tick.within(800))])
    }

    @Test func `the primary's quote is used as soon as it arrives`() {
        var sut = Simulation(asking: tick)
        #expect(sut.read(quoted("primary", tick), from: 0, at: 70) == [.answer(quoted("primary", tick))])
        #expect(sut.pendingCount == 0 && sut.nextDeadline == nil)
    }

    @Test func `a quote from the primary at 799 ms is in time`() {
        var sut = Simulation(asking: tick)
        #expect(sut.read(quoted("primary", tick), from: 0, at: 799) == [.answer(quoted("primary", tick))])
    }

    @Test(arguments: [800, 801])
    func `a quote from the primary at 800 ms or later is discarded, and the fallback is queried`(time: Int) {
        var sut = Simulation(asking: tick)
        let actions = sut.read(quoted("primary", tick), from: 0, at: time)
        #expect(actions == [.ask(1, tick.within(1000 - time))])
    }

    @Test func `a quote from the fallback at 999 ms is in time and includes the primary's failure`() {
        var sut = Simulation(asking: tick)
        _ = sut.advance(to: 800)
        let rescued = Reading(
            answering: tick, anyQuote("68890.00"), from: "fallback", after: [timedOut("primary", after: 800)])
        #expect(sut.read(quoted("fallback", tick, "68890.00"), from: 1, at: 999) == [.answer(rescued)])
    }

    @Test(arguments: [1000, 1001])
    func `at 1000 ms the answer contains all failures, and a quote that arrives then is discarded`(time: Int)
    {
        var sut = Simulation(asking: tick)
        _ = sut.advance(to: 800)
        let failures = [timedOut("primary", after: 800), timedOut("fallback", after: 1000)]
        let actions = sut.read(quoted("fallback", tick), from: 1, at: time)
        #expect(actions == [.answer(Reading(answering: tick, failures))])
    }

    @Test func `a primary that fails early leaves the fallback the rest of the budget`() {
        var sut = Simulation(asking: tick)
        let actions = sut.read(failed("primary", tick), from: 0, at: 30)
        #expect(actions == [.ask(1, tick.within(970))])
    }

    @Test(arguments: [
        ("BTC-EUR", true), ("BTC-USD", false), ("AAPL", false), ("BTC-100-EUR", false), ("A-B", false),
    ])
    func `a price that is not in the currency of its pair is rejected`(symbol: String, isRefused: Bool) {
        let tick = anyTick(symbol: symbol)
        var sut = Simulation(asking: tick)
        let actions = sut.read(quoted("primary", tick), from: 0, at: 70)
        #expect(actions == [isRefused ? .ask(1, tick.within(930)) : .answer(quoted("primary", tick))])
        guard isRefused else { return }
        let failure = Failure(source: "primary", kind: .invalidData, message: "the price is in USD")
        let answers = sut.read(failed("fallback", tick), from: 1, at: 80)
        #expect(answers == [.answer(Reading(answering: tick, [failure, anyFailure("fallback", .network)]))])
    }

    @Test(
        arguments: [
            (364, false, nil, false), (366, false, nil, true), (366, true, nil, false),
            (366, false, .day, false),
        ]
            as [(Int, Bool, Candle?, Bool)])
    func `a price more than a year old is rejected, unless it is stored or of a candle`(
        days: Int, isStored: Bool, candle: Candle?, isRefused: Bool
    ) {
        let tick = Tick(number: 12, at: anyTime(), candle: candle)
        var sut = Simulation(asking: tick)
        let time = Timestamp(milliseconds: anyTime().milliseconds - days * 86_400_000)
        var reading = Reading(answering: tick, anyQuote(at: time), from: "primary")
        reading.isStored = isStored
        let actions = sut.read(reading, from: 0, at: 70)
        #expect(actions.first.map { if case .ask = $0 { true } else { false } } == isRefused)
    }

    @Test func `all fallbacks are queried at the same time`() {
        var sut = Simulation(4, asking: tick)
        let actions = sut.advance(to: 800)
        #expect(actions == [1, 2, 3].map { .ask($0, tick.within(200)) })
    }

    @Test func `a quote from a later fallback waits until the earlier fallback fails`() {
        // Given
        var sut = Simulation(3, asking: tick)
        _ = sut.read(failed("primary", tick), from: 0, at: 10)
        // When
        let early = sut.read(quoted("second", tick, "2.00"), from: 2, at: 20)
        let actions = sut.read(failed("first", tick), from: 1, at: 300)
        // Then
        let failures = [anyFailure("primary", .network), anyFailure("first", .network)]
        #expect(early == [])
        #expect(
            actions == [.answer(Reading(answering: tick, anyQuote("2.00"), from: "second", after: failures))])
    }

    @Test func `a quote from an earlier fallback wins, even if a later fallback is faster`() {
        var sut = Simulation(3, asking: tick)
        _ = sut.read(failed("primary", tick), from: 0, at: 10)
        _ = sut.read(quoted("second", tick, "2.00"), from: 2, at: 20)
        let actions = sut.read(quoted("first", tick, "1.00"), from: 1, at: 30)
        let expected = Reading(
            answering: tick, anyQuote("1.00"), from: "first", after: [anyFailure("primary", .network)])
        #expect(actions == [.answer(expected)])
    }

    @Test func `at the end of the budget the best quote so far is used`() {
        var sut = Simulation(3, asking: tick)
        _ = sut.read(failed("primary", tick), from: 0, at: 10)
        _ = sut.read(quoted("second", tick, "2.00"), from: 2, at: 20)
        #expect(sut.advance(to: 999) == [])
        let failures = [anyFailure("primary", .network), timedOut("fallback", after: 1000)]
        let expected = Reading(answering: tick, anyQuote("2.00"), from: "second", after: failures)
        #expect(sut.advance(to: 1000) == [.answer(expected)])
    }

    @Test func `without a fallback the primary's failure is the immediate answer`() {
        var sut = Simulation(1, asking: tick)
        let actions = sut.read(failed("primary", tick), from: 0, at: 30)
        #expect(actions == [.answer(failed("primary", tick))])
    }

    @Test func `without a fallback a silent primary is answered with a timeout at 800 ms`() {
        var sut = Simulation(1, asking: tick)
        let expected = Reading(answering: tick, [timedOut("primary", after: 800)])
        #expect(sut.nextDeadline == 800)
        #expect(sut.advance(to: 800) == [.answer(expected)])
    }

    @Test(arguments: [(299, []), (300, [1]), (301, [1])])
    func `the fallbacks are queried after the hedge`(time: Int, asked: [Int]) {
        var sut = Simulation(hedge: 300, asking: tick)
        #expect(sut.advance(to: time) == asked.map { .ask($0, tick.within(1000 - time)) })
    }

    @Test func `with a hedge of 0 all sources are queried at the tick`() {
        var sut = Simulation(hedge: 0)
        #expect(sut.handle(.tick(tick), at: 0) == [.ask(0, tick.within(800)), .ask(1, tick.within(1000))])
    }

    @Test func `a hedged fallback's quote waits for the primary, which wins if it is in time`() {
        var sut = Simulation(hedge: 300, asking: tick)
        _ = sut.advance(to: 300)
        #expect(sut.read(quoted("fallback", tick, "2.00"), from: 1, at: 350) == [])
        let actions = sut.read(quoted("primary", tick, "1.00"), from: 0, at: 799)
        #expect(actions == [.answer(quoted("primary", tick, "1.00"))])
    }

    @Test func `a hedged fallback's quote is used when the primary times out`() {
        var sut = Simulation(hedge: 300, asking: tick)
        _ = sut.advance(to: 300)
        _ = sut.read(quoted("fallback", tick, "2.00"), from: 1, at: 350)
        let expected = Reading(
            answering: tick, anyQuote("2.00"), from: "fallback", after: [timedOut("primary", after: 800)])
        #expect(sut.advance(to: 800) == [.answer(expected)])
    }

    @Test func `the deadlines are the hedge, the primary's time limit and the end of the budget`() {
        var sut = Simulation(hedge: 300, asking: tick)
        var deadlines: [Int?] = []
        for time in [299, 300, 799, 800, 999, 1000] {
            _ = sut.advance(to: time)
            deadlines.append(sut.nextDeadline)
        }
        #expect(deadlines == [300, 800, 800, 1000, 1000, nil])
    }

    @Test func `the failures of a source are passed on unchanged, in the order of the sources`() {
        var sut = Simulation(3, asking: tick)
        _ = sut.read(failed("primary", tick), from: 0, at: 10)
        _ = sut.read(failed("second", tick), from: 2, at: 20)
        let nested = Reading(answering: tick, [anyFailure("a", .denied), anyFailure("b", .timeout)])
        let failures = [anyFailure("primary", .network)] + nested.failures + [anyFailure("second", .network)]
        #expect(sut.read(nested, from: 1, at: 30) == [.answer(Reading(answering: tick, failures))])
    }

    @Test func `a timeout longer than the budget ends with the budget`() {
        var sut = Simulation(timeout: 5000)
        #expect(sut.handle(.tick(tick), at: 0) == [.ask(0, tick.within(1000))])
        let expected = Reading(answering: tick, [timedOut("primary", after: 1000)])
        #expect(sut.advance(to: 1000) == [.answer(expected)])
    }

    @Test func `the primary's failures come before those that a nested fallback reports`() {
        var sut = Simulation(asking: tick)
        _ = sut.read(failed("primary", tick), from: 0, at: 10)
        let nested = Reading(answering: tick, anyQuote(), from: "b", after: [anyFailure("a", .denied)])
        let failures = [anyFailure("primary", .network), anyFailure("a", .denied)]
        #expect(
            sut.read(nested, from: 1, at: 30) == [
                .answer(Reading(answering: tick, anyQuote(), from: "b", after: failures))
            ])
    }
}
