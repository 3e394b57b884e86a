import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// An idle fallback with less than 300 ms to answer is kept warm, that is, its connection is kept open. Then 200 ms is
/// usually enough for the fallback's answer even if the fallback has not been needed for an hour.
@Suite(.unit) struct WarmUpTests {
    /// Plays one tick per second. The primary answers each tick with a quote.
    ///
    /// - Parameter isStored: whether the primary's quotes come from a store.
    /// - Returns: the seconds at which the fallback was queried.
    private func asked(_ sut: inout Simulation, seconds: Range<Int>, isStored: Bool = false) -> [Int] {
        seconds.filter { second in
            let tick = anyTick(second)
            let actions = sut.handle(.tick(tick), at: second * 1000)
            var reading = quoted("0", tick)
            reading.isStored = isStored
            _ = sut.read(reading, from: 0, at: second * 1000 + 50)
            return actions.contains(.ask(1, tick.within(1000)))
        }
    }

    @Test(.fault(21)) func `an idle fallback is queried once a minute, and no tick waits for the answer`() {
        var sut = Simulation()
        #expect(asked(&sut, seconds: 0..<3600) == Array(stride(from: 60, to: 3600, by: 60)))
        #expect(sut.read(quoted("1", anyTick(3540)), from: 1, at: 3_599_100) == [])
        #expect(sut.pendingCount == 0 && sut.nextDeadline == nil)
    }

    @Test(arguments: [(701, [60, 120]), (700, []), (100, [])])
    func `an idle fallback is kept warm only if it has less than 300 ms to answer`(
        timeout: Int, expected: [Int]
    ) {
        var sut = Simulation(timeout: timeout)
        #expect(asked(&sut, seconds: 0..<150) == expected)
    }

    @Test func `with a store as the primary, fallbacks are not kept warm`() {
        var sut = Simulation()
        #expect(asked(&sut, seconds: 0..<300, isStored: true) == [])
        // When the store has no fresh quote, the fallback is queried. Even after that, the fallback is not kept warm.
        _ = sut.play(300, ["s", "."])
        sut.expect("400000 tick → ask 0/800")
    }

    @Test func `a source that fails once with "expired" does not count as a store forever`() {
        var sut = Simulation()
        _ = sut.play(0, ["s", "."])
        #expect(asked(&sut, seconds: 1..<150) == [61, 121])
    }

    @Test func `a fallback counts as idle only a minute after it was last needed`() {
        var sut = Simulation()
        _ = asked(&sut, seconds: 0..<40)
        _ = sut.play(40, ["x", "v"])
        #expect(asked(&sut, seconds: 41..<110) == [101])
    }

    @Test func `an idle fallback in a cooldown is not queried`() {
        var sut = Simulation()
        _ = asked(&sut, seconds: 0..<61)
        _ = sut.handle(Simulation.answer(of: 1, "d", to: anyTick(60))!, at: 60_100)
        #expect(asked(&sut, seconds: 61..<250) == [181, 241])
    }

    @Test func `a fallback is kept warm with a tick for another symbol each minute`() {
        var sut = Simulation()
        let symbols = ["BTC-USD", "ETH-USD", "SOL-USD"]
        var asked: [String] = []
        for second in 0...240 {
            let ticks = symbols.map { anyTick(second, symbol: $0) }
            for case .ask(1, let tick) in sut.handle(ticks.map { .tick($0) }, at: second * 1000) {
                asked.append(tick.pricedSymbol.text)
            }
            _ = sut.handle(ticks.map { .reading(quoted("0", $0), from: 0) }, at: second * 1000 + 50)
        }
        #expect(asked == symbols + ["BTC-USD"])
    }
}
