import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

/// Time in which everybody was stopped is nobody's failure.
struct SuspendTests {
    private let tick = anyTick()

    @Test func `a tick under way goes on with what was left of its budget`() {
        // Given a tick that was stopped for 30 s after 300 ms
        var sut = Simulation()
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.handle(.time, at: 300)
        #expect(sut.handle(.asleep(.seconds(30)), at: 30_300) == [])
        // Then its primary still has 500 ms
        #expect(sut.nextDeadline == 30_800)
        let answer = quoted("primary", tick)
        #expect(sut.handle(.reading(answer, from: 0), at: 30_799) == [.answer(answer)])
    }

    @Test func `a primary whose own time ran out meanwhile is rescued`() {
        var sut = Simulation()
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.handle(.asleep(.seconds(30)), at: 30_300)
        let asked = sut.handle(.reading(failed("primary", tick), from: 0), at: 30_301)
        #expect(asked == [.ask(1, tick.within(699))])
    }
}
