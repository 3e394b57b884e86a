import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Ticks that ask for candles, mixed with live ticks, which ask for the current price.
@Suite(.unit) struct CandleTickTests {
    private let live = anyTick(0)
    private let day = candleTick()
    private let hour = candleTick(at: "2026-11-20T00:00", .hour)

    /// The actions for a tick that arrives when all earlier ticks have timed out.
    private func asked(_ sut: inout Simulation, _ tick: Tick, at time: Int) -> [FallbackPolicy.Action] {
        _ = sut.advance(to: time)
        return sut.handle(.tick(tick), at: time)
    }

    @Test func `a live, a daily and an hourly tick with the same number each get their own answer`() {
        var sut = Simulation()
        for tick in [live, day, hour] { _ = sut.handle(.tick(tick), at: 0) }
        for (tick, price) in [(hour, "1.00"), (day, "2.00"), (live, "3.00")] {
            let answer = quoted("primary", tick, price)
            #expect(sut.read(answer, from: 0, at: 10) == [.answer(answer)])
        }
    }

    @Test func `the current price does not answer a tick for a candle`() {
        var sut = Simulation(1, asking: day)
        #expect(sut.read(quoted("primary", live), from: 0, at: 10) == [])
        let expected = Reading(answering: day, [timedOut("primary", after: 800)])
        #expect(sut.advance(to: 800) == [.answer(expected)])
    }

    @Test func `two bursts of candles with the same tick numbers are distinguished by their times`() {
        var sut = Simulation()
        let later = candleTick(at: "2026-11-21T00:00")
        for tick in [day, later] { _ = sut.handle(.tick(tick), at: 0) }
        // The first candle must be answered first.
        #expect(sut.read(quoted("primary", later, "2.00"), from: 0, at: 10) == [])
        let answers = sut.read(quoted("primary", day, "1.00"), from: 0, at: 20)
        #expect(
            answers == [
                .answer(quoted("primary", day, "1.00")), .answer(quoted("primary", later, "2.00")),
            ])
    }

    @Test func `a live tick does not wait for candles requested before it`() {
        var sut = Simulation(asking: day)
        _ = sut.handle(.tick(live), at: 0)
        let answer = quoted("primary", live)
        #expect(sut.read(answer, from: 0, at: 10) == [.answer(answer)])
    }

    @Test(arguments: [Failure.Kind.unsupported, .rateLimited, .denied])
    func `a source that rejects one kind of candle is still queried for the price and for other candles`(
        kind: Failure.Kind
    ) {
        var sut = Simulation(asking: day)
        let refusal = Failure(source: "primary", kind: kind, message: "no candles", retry: .seconds(60))
        _ = sut.read(Reading(answering: day, [refusal]), from: 0, at: 1)
        // The next daily candle is requested from the fallback immediately, the others from the primary.
        let next = candleTick(1, at: "2026-11-21T00:00")
        #expect(sut.handle(.tick(next), at: 59_000).first == .ask(1, next.within(1000)))
        #expect(sut.handle(.tick(live), at: 59_000).first == .ask(0, live.within(800)))
        #expect(sut.handle(.tick(hour), at: 59_000).first == .ask(0, hour.within(800)))
        #expect(sut.handle(.tick(day), at: 60_001).first == .ask(0, day.within(800)))
    }

    @Test func `a source that rejects the current price is still queried for candles`() {
        var sut = Simulation(asking: live)
        let refusal = Failure(source: "primary", kind: .unsupported, message: "no", retry: .seconds(60))
        _ = sut.read(Reading(answering: live, [refusal]), from: 0, at: 1)
        #expect(sut.handle(.tick(day), at: 1000).first == .ask(0, day.within(800)))
    }

    @Test func `missing candles do not open the circuit breaker, for either kind of tick`() {
        // Given a burst of ten candles that the primary does not have
        var sut = Simulation(trip: 3)
        let burst = (0..<10).map { candleTick($0, at: "2026-11-0\($0 % 9 + 1)T00:00") }
        for tick in burst { _ = sut.handle(.tick(tick), at: 0) }
        for tick in burst { _ = sut.read(failed("primary", tick), from: 0, at: 10) }
        // Then ticks still wait for it
        #expect(asked(&sut, live, at: 1000) == [.ask(0, live.within(800))])
        let next = candleTick(11)
        #expect(asked(&sut, next, at: 1000) == [.ask(0, next.within(800))])
    }

    @Test func `while the primary is only probed, a tick for a candle does not wait for it either`() {
        // Given an outage of three ticks
        var sut = Simulation()
        for second in 0..<3 {
            _ = sut.handle(.tick(anyTick(second)), at: second * 1000)
            _ = sut.read(failed("primary", anyTick(second)), from: 0, at: second * 1000 + 10)
        }
        let tick = candleTick(9)
        #expect(asked(&sut, tick, at: 3000) == [.ask(0, tick.within(800)), .ask(1, tick.within(1000))])
        // And its candle does not end the outage
        _ = sut.read(quoted("primary", tick), from: 0, at: 3010)
        #expect(asked(&sut, anyTick(4), at: 4000).count == 2)
    }

    @Test func `an unanswered burst of candles does not count as several silent beats`() {
        var sut = Simulation(1)
        let burst = (0..<10).map { candleTick($0, at: "2026-11-1\($0)T00:00") }
        for (time, tick) in burst.enumerated() { _ = sut.handle(.tick(tick), at: time) }
        for time in 800..<810 {
            let expected = Reading(answering: burst[time - 800], [timedOut("primary", after: 800)])
            #expect(sut.advance(to: time) == [.answer(expected)])
        }
        for tick in burst { #expect(sut.handle(.tick(tick), at: 1000).count == 1) }
    }

    @Test func `an idle fallback is not kept warm with candles`() {
        var sut = Simulation(asking: live)
        for second in [49, 60] {
            let tick = candleTick(second)
            #expect(asked(&sut, tick, at: second * 1000).count == 1)
            // A request for a candle does not count as one for the price.
            #expect(sut.read(failed("primary", tick), from: 0, at: second * 1000 + 1).count == 1)
        }
        let tick = anyTick(61)
        #expect(asked(&sut, tick, at: 61_000) == [.ask(0, tick.within(800)), .ask(1, tick.within(1000))])
    }
}
