import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Time during which the program was suspended does not count.
@Suite(.unit) struct SuspendTests {
    private let tick = anyTick()

    @Test func `a pending tick continues with the rest of its budget`() {
        // Given a program that is suspended for 30 s, 300 ms after a tick
        var sut = Simulation(asking: tick)
        _ = sut.advance(to: 300)
        #expect(sut.suspend(for: .seconds(30), until: 30_300) == [])
        // Then the primary still has 500 ms
        #expect(sut.nextDeadline == 30_800)
        let answer = quoted("primary", tick)
        #expect(sut.read(answer, from: 0, at: 30_799) == [.answer(answer)])
    }

    @Test func `after a suspension the fallback gets the rest of the budget`() {
        var sut = Simulation(asking: tick)
        _ = sut.suspend(for: .seconds(30), until: 30_300)
        let asked = sut.read(failed("primary", tick), from: 0, at: 30_301)
        #expect(asked == [.ask(1, tick.within(699))])
    }
}
