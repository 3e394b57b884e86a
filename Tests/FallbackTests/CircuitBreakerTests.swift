import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

/// A primary that stays dead is only probed, so that the price stays current with minimal delay.
struct CircuitBreakerTests {
    /// A simulation in which the primary has been silent for some ticks, and the fallback has answered each.
    private func makeSUT(_ outage: Int, trip: Int = 3, sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: trip)
        for second in 0..<outage {
            let tick = anyTick(second)
            let asked = sut.handle(.tick(tick), at: second * 1000)
            if !asked.contains(.ask(1, tick.within(1000))) { _ = sut.handle(.time, at: second * 1000 + 800) }
            _ = sut.handle(.reading(quoted("fallback", tick), from: 1), at: second * 1000 + 850)
            _ = sut.handle(.time, at: second * 1000 + 1000)
        }
        return sut
    }

    private let tick = anyTick(100)
    private var probed: Failure {
        Failure(source: "primary", kind: .timeout, message: "probed only, after 3 failures in a row")
    }
    private var rescued: Reading { Reading(answering: tick, anyQuote(), from: "fallback", after: [probed]) }

    @Test(arguments: [(0, false), (1, false), (2, false), (3, true), (4, true)])
    func `20: from the fourth tick of an outage on the fallbacks are asked at the tick`(
        outage: Int, isProbed: Bool
    ) {
        var sut = makeSUT(outage)
        let asked = sut.handle(.tick(tick), at: 10_000)
        #expect(asked == [.ask(0, tick.within(800))] + (isProbed ? [.ask(1, tick.within(1000))] : []))
    }

    @Test func `20: then the fallback's quote goes out as soon as it is there`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.handle(.reading(quoted("fallback", tick), from: 1), at: 10_070) == [.answer(rescued)])
        #expect(sut.pendingCount == 0)
    }

    @Test(arguments: [(799, false), (800, true), (801, true)])
    func `20: a probe that is answered in time makes it the primary again at the next tick`(
        time: Int, isProbed: Bool
    ) {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        _ = sut.handle(.reading(quoted("fallback", tick), from: 1), at: 10_070)
        #expect(sut.handle(.reading(quoted("primary", tick), from: 0), at: 10_000 + time) == [])
        let next = sut.handle(.tick(anyTick(101)), at: 11_000)
        #expect(next.count == (isProbed ? 2 : 1))
    }

    @Test func `a probe that is answered before the fallback gives the quote`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        let actions = sut.handle(.reading(quoted("primary", tick), from: 0), at: 10_050)
        #expect(actions == [.answer(quoted("primary", tick))])
    }

    @Test func `while no fallback has a quote, the probe is waited for like any primary`() {
        var sut = makeSUT(3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.handle(.reading(failed("fallback", tick), from: 1), at: 10_050) == [])
        let actions = sut.handle(.reading(quoted("primary", tick), from: 0), at: 10_700)
        #expect(actions == [.answer(quoted("primary", tick))])
    }

    @Test func `a later fallback still waits for an earlier one`() {
        var sut = makeSUT(3, sources: 3)
        _ = sut.handle(.tick(tick), at: 10_000)
        #expect(sut.handle(.reading(quoted("second", tick, "2.00"), from: 2), at: 10_050) == [])
        #expect(sut.handle(.reading(quoted("fallback", tick), from: 1), at: 10_070) == [.answer(rescued)])
    }

    @Test func `0 never probes, and 1 probes from the second tick on`() {
        var never = makeSUT(20, trip: 0)
        #expect(never.handle(.tick(tick), at: 10_000).count == 1)
        var soon = makeSUT(1, trip: 1)
        #expect(soon.handle(.tick(tick), at: 10_000).count == 2)
    }

    @Test func `one symbol's outage is not another's`() {
        var sut = makeSUT(3)
        #expect(sut.handle(.tick(anyTick(100, symbol: "ETH-USD")), at: 10_000).count == 1)
    }

    @Test func `a single good answer between failures begins the count anew`() {
        var sut = Simulation()
        for (second, isGood) in [false, false, true, false, false].enumerated() {
            let tick = anyTick(second)
            _ = sut.handle(.tick(tick), at: second * 1000)
            let answer = isGood ? quoted("primary", tick) : failed("primary", tick)
            _ = sut.handle(.reading(answer, from: 0), at: second * 1000 + 10)
            _ = sut.handle(.time, at: second * 1000 + 1000)
        }
        #expect(sut.handle(.tick(tick), at: 10_000).count == 1)
    }
}

/// A source that hangs is ended and started anew.
struct SilenceTests {
    private func restarts(_ sut: inout Simulation, ticks: Range<Int>) -> [Int] {
        var restarts: [Int] = []
        for second in ticks {
            var actions = sut.handle(.tick(anyTick(second)), at: second * 1000)
            for time in [800, 999, 1000] { actions += sut.handle(.time, at: second * 1000 + time) }
            if actions.contains(.restart(0)) { restarts.append(second) }
        }
        return restarts
    }

    @Test func `5: five silent ticks in a row restart a source, and ten restart it twice`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, ticks: 0..<4) == [])
        #expect(restarts(&sut, ticks: 4..<5) == [4])
        _ = sut.handle(.lost(0, message: "ended"), at: 4999)
        #expect(restarts(&sut, ticks: 5..<10) == [9])
    }

    @Test func `a word too late is not silence`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, ticks: 0..<4) == [])
        _ = sut.handle(.reading(failed("primary", anyTick(3)), from: 0), at: 3900)
        #expect(restarts(&sut, ticks: 4..<8) == [])
        #expect(restarts(&sut, ticks: 8..<9) == [8])
    }
}
