import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Many ticks that are pending at the same time, and the time limits after which ticks are forgotten.
@Suite(.unit) struct PendingTicksTests {
    private let ticks = (0..<5000).map { anyTick(0, symbol: "SYMBOL-\($0)") }

    @Test(.fault(61)) func `ticks of 5,000 symbols, answered in any order, are handled within 5 seconds`() {
        let start = ContinuousClock.now
        var sut = Simulation(3, agree: .usual)
        #expect(sut.handle(ticks.map { .tick($0) }, at: 0).count == 5000)
        var random = SeededRandom(Seed.value)
        for tick in ticks.shuffled(using: &random) {
            #expect(sut.read(quoted("a", tick), from: 0, at: 70) == [.answer(quoted("a", tick))])
        }
        #expect(sut.pendingCount == 0 && sut.nextDeadline == nil)
        // If the time for each operation grew with the number of symbols, the test would exceed this limit.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(arguments: [(100, 200), (200, 100), (100, 900), (900, 100), (1100, 1100)])
    func `a tick is forgotten after its time limit, even if fallbacks answer late`(first: Int, second: Int) {
        var sut = Simulation(3)
        for number in 0..<100 {
            let (tick, start) = (anyTick(number), number * 2000)
            _ = sut.handle(.tick(tick), at: start)
            _ = sut.read(failed("primary", tick), from: 0, at: start + 50)
            for (source, delay) in [(1, first), (2, second)].sorted(by: { $0.1 < $1.1 }) {
                _ = sut.read(quoted("\(source)", tick), from: source, at: start + 50 + delay)
            }
            _ = sut.advance(to: start + 1500)
        }
        #expect(sut.policy.rememberedCount == 0)
    }

    @Test func `ticks of one symbol time out separately if they arrive at different times`() {
        var sut = Simulation(2)
        for (time, tick) in (0..<1500).map({ anyTick($0) }).enumerated() {
            #expect(sut.handle(.tick(tick), at: time).filter { $0 == .ask(0, tick.within(800)) }.count == 1)
            if time >= 1000 { #expect(sut.pendingCount <= 1000) }
        }
        _ = sut.advance(to: 2500)
        #expect(sut.pendingCount == 0)
    }
}
