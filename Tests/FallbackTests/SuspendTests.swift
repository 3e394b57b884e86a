import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Time during which the program was suspended does not count.
@Suite(.unit) struct SuspendTests {
    private let tick = anyTick()

    @Test func `a pending tick continues with the rest of its budget`() {
        // Given a tick that was suspended for 30 s after 300 ms
        var sut = Simulation(asking: tick)
        _ = sut.advance(to: 300)
        #expect(sut.suspend(for: .seconds(30), until: 30_300) == [])
        // Then its primary still has 500 ms
        #expect(sut.nextDeadline == 30_800)
        let answer = quoted("primary", tick)
        #expect(sut.read(answer, from: 0, at: 30_799) == [.answer(answer)])
    }

    @Test func `a primary that times out in the meantime is replaced by the fallback`() {
        var sut = Simulation(asking: tick)
        _ = sut.suspend(for: .seconds(30), until: 30_300)
        let asked = sut.read(failed("primary", tick), from: 0, at: 30_301)
        #expect(asked == [.ask(1, tick.within(699))])
    }
}
