import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// An idle fallback is kept warm, so that 200 ms are enough for it even after an hour.
@Suite(.unit) struct WarmUpTests {
    /// Plays one good tick per second.
    ///
    /// - Returns: the seconds at which the fallback was queried.
    private func asked(_ sut: inout Simulation, seconds: Range<Int>, isStored: Bool = false) -> [Int] {
        seconds.filter { second in
            let tick = anyTick(second)
            let actions = sut.handle(.tick(tick), at: second * 1000)
            var reading = quoted("primary", tick)
            reading.isStored = isStored
            _ = sut.read(reading, from: 0, at: second * 1000 + 50)
            return actions.contains(.ask(1, tick.within(1000)))
        }
    }

    @Test(.fault(21)) func `an idle fallback is queried once a minute`() {
        var sut = Simulation()
        #expect(asked(&sut, seconds: 0..<3600) == Array(stride(from: 60, to: 3600, by: 60)))
    }

    @Test(.fault(21)) func `no tick waits for the answer of an idle fallback`() {
        var sut = Simulation()
        _ = asked(&sut, seconds: 0..<61)
        #expect(sut.read(quoted("fallback", anyTick(60)), from: 1, at: 60_100) == [])
        #expect(sut.pendingCount == 0 && sut.nextDeadline == nil)
    }

    @Test(arguments: [(701, true), (700, false), (100, false)])
    func `an idle fallback is not queried if it would get 300 ms for a new connection`(
        timeout: Int, isAsked: Bool
    ) {
        var sut = Simulation(timeout: timeout)
        #expect(asked(&sut, seconds: 0..<150) == (isAsked ? [60, 120] : []))
    }

    @Test func `with a store as the primary, fallbacks are not kept warm`() {
        var sut = Simulation()
        #expect(asked(&sut, seconds: 0..<300, isStored: true) == [])
        // Nothing fresh is stored.
        _ = sut.handle(.tick(anyTick(300)), at: 300_000)
        let expired = Reading(answering: anyTick(300), [anyFailure("store", .expired)])
        _ = sut.read(expired, from: 0, at: 300_010)
        let actions = sut.handle(.tick(anyTick(400)), at: 400_000)
        #expect(!actions.contains(.ask(1, anyTick(400).within(1000))))
    }

    @Test func `a source that once failed like a store is not treated as a store for ever`() {
        var sut = Simulation()
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.read(Reading(answering: anyTick(0), [anyFailure("store", .expired)]), from: 0, at: 10)
        #expect(asked(&sut, seconds: 1..<150) == [61, 121])
    }

    @Test func `a fallback that was needed recently is not idle`() {
        var sut = Simulation()
        _ = asked(&sut, seconds: 0..<40)
        _ = sut.handle(.tick(anyTick(40)), at: 40_000)
        _ = sut.read(failed("primary", anyTick(40)), from: 0, at: 40_010)
        _ = sut.read(quoted("fallback", anyTick(40)), from: 1, at: 40_020)
        #expect(asked(&sut, seconds: 41..<110) == [101])
    }

    @Test func `an idle fallback in a cooldown is not queried`() {
        var sut = Simulation()
        _ = asked(&sut, seconds: 0..<61)
        let denied = Failure(source: "fallback", kind: .denied, message: "status 401", retry: .seconds(90))
        _ = sut.read(Reading(answering: anyTick(60), [denied]), from: 1, at: 60_100)
        #expect(asked(&sut, seconds: 61..<220) == [151, 211])
    }

    @Test func `the symbols take turns in keeping a fallback warm`() {
        var sut = Simulation()
        let symbols = ["BTC-USD", "ETH-USD", "SOL-USD"]
        var asked: [String] = []
        for second in 0...240 {
            let ticks = symbols.map { anyTick(second, symbol: $0) }
            for case .ask(1, let tick) in sut.handle(ticks.map { .tick($0) }, at: second * 1000) {
                asked.append(tick.pricedSymbol.text)
            }
            let answers = ticks.map { FallbackPolicy.Event.reading(quoted("primary", $0), from: 0) }
            _ = sut.handle(answers, at: second * 1000 + 50)
        }
        #expect(asked == symbols + ["BTC-USD"])
    }
}
