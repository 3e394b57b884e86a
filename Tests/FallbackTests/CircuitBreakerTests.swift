import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// During an outage the primary is only probed, so that the fallback's price is shown without delay.
@Suite(.unit) struct CircuitBreakerTests {
    /// A simulation in which the primary was silent for `outage` ticks, each of which the fallback answered.
    private func makeSUT(_ outage: Int, trip: Int = 3, sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: trip)
        for second in 0..<outage {
            let tick = anyTick(second)
            let asked = sut.handle(.tick(tick), at: second * 1000)
            if !asked.contains(.ask(1, tick.within(1000))) { _ = sut.advance(to: second * 1000 + 800) }
            _ = sut.read(quoted("fallback", tick), from: 1, at: second * 1000 + 850)
            _ = sut.advance(to: second * 1000 + 1000)
        }
        return sut
    }

    private let tick = anyTick(100)
    private var probed: Failure {
        Failure(source: "primary", kind: .timeout, message: "not waited for after 3 failures in a row")
    }
    private var rescued: Reading { Reading(answering: tick, anyQuote(), from: "fallback", after: [probed]) }

    @Test(.fault(20), arguments: [(0, false), (1, false), (2, false), (3, true), (4, true)])
    func `from the fourth tick of an outage on, the fallbacks are queried immediately`(
        outage: Int, isProbed: Bool
    ) {
        var sut = makeSUT(outage)
        let asked = sut.handle(.tick(tick), at: 10_000)
        #expect(asked == [.ask(0, tick.within(800))] + (isProbed ? [.ask(1, tick.within(1000))] : []))
    }

    @Test(.fault(20)) func `during an outage the fallback's quote is used as soon as it arrives`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.read(quoted("fallback", tick), from: 1, at: 10_070) == [.answer(rescued)])
        #expect(sut.pendingCount == 0)
    }

    @Test(.fault(20), arguments: [(799, false), (800, true), (801, true)])
    func `after a probe that is answered in time, the next tick waits for the primary again`(
        time: Int, isProbed: Bool
    ) {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        _ = sut.read(quoted("fallback", tick), from: 1, at: 10_070)
        #expect(sut.read(quoted("primary", tick), from: 0, at: 10_000 + time) == [])
        let next = sut.handle(.tick(anyTick(101)), at: 11_000)
        #expect(next.count == (isProbed ? 2 : 1))
    }

    @Test func `a probe that is answered before the fallback supplies the quote`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        let actions = sut.read(quoted("primary", tick), from: 0, at: 10_050)
        #expect(actions == [.answer(quoted("primary", tick))])
    }

    @Test func `a tick waits for the probe while no fallback gives a quote`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.read(failed("fallback", tick), from: 1, at: 10_050) == [])
        let actions = sut.read(quoted("primary", tick), from: 0, at: 10_700)
        #expect(actions == [.answer(quoted("primary", tick))])
    }

    @Test func `the quote of a later fallback still waits for an earlier fallback`() {
        var sut = makeSUT(3, sources: 3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.read(quoted("second", tick, "2.00"), from: 2, at: 10_050) == [])
        #expect(sut.read(quoted("fallback", tick), from: 1, at: 10_070) == [.answer(rescued)])
    }

    @Test func `--trip 0 disables the circuit breaker, and --trip 1 opens it from the second tick on`() {
        var never = makeSUT(20, trip: 0)
        #expect(never.handle(.tick(tick), at: 10_000).count == 1)
        var soon = makeSUT(1, trip: 1)
        #expect(soon.handle(.tick(tick), at: 10_000).count == 2)
    }

    @Test func `an outage of one symbol does not affect another`() {
        var sut = makeSUT(3)
        #expect(sut.handle(.tick(anyTick(100, symbol: "ETH-USD")), at: 10_000).count == 1)
    }

    @Test func `a single success resets the failure count`() {
        var sut = Simulation()
        for (second, isGood) in [false, false, true, false, false].enumerated() {
            let tick = anyTick(second)
            _ = sut.handle(.tick(tick), at: second * 1000)
            let answer = isGood ? quoted("primary", tick) : failed("primary", tick)
            _ = sut.read(answer, from: 0, at: second * 1000 + 10)
            _ = sut.advance(to: second * 1000 + 1000)
        }
        #expect(sut.handle(.tick(tick), at: 10_000).count == 1)
    }

    @Test func `the failure of a probed primary repeats the kind of its last failure`() {
        var sut = CircuitBreaker()
        for kind in [Failure.Kind.timeout, .network] {
            sut.record(.failed(anyFailure("x", kind)))
        }
        let expected = Failure(
            source: "x", kind: .network, message: "not waited for after 2 failures in a row")
        #expect(sut.probingFailure(after: 2) == expected)
    }

    @Test func `expired quotes of a store do not open the circuit breaker`() {
        var sut = Simulation()
        for second in 0..<5 {
            let tick = anyTick(second)
            #expect(sut.handle(.tick(tick), at: second * 1000) == [.ask(0, tick.within(800))])
            let expired = Reading(answering: tick, [anyFailure("store", .expired)])
            _ = sut.read(expired, from: 0, at: second * 1000 + 1)
            _ = sut.read(quoted("fallback", tick), from: 1, at: second * 1000 + 50)
        }
    }

    @Test func `ticks in a cooldown count as failures`() {
        // Given a primary that has asked for a pause of three seconds
        var sut = Simulation()
        let limited = Failure(source: "primary", kind: .rateLimited, message: "x", retry: .seconds(3))
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.read(Reading(answering: anyTick(0), [limited]), from: 0, at: 0)
        for second in 1...2 {
            _ = sut.handle(.tick(anyTick(second)), at: second * 1000)
            _ = sut.read(quoted("fallback", anyTick(second)), from: 1, at: second * 1000 + 50)
        }
        // When the pause is over
        let asked = sut.handle(.tick(tick), at: 3000)
        // Then the primary is only probed
        #expect(asked == [.ask(0, tick.within(800)), .ask(1, tick.within(1000))])
    }
}
