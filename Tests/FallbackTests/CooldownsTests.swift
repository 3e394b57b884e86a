import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

/// A source that wants to be left alone is, and no tick waits for it.
struct CooldownsTests {
    private func limited(_ tick: Tick, for retry: Duration?) -> Reading {
        Reading(
            answering: tick,
            [Failure(source: "primary", kind: .rateLimited, message: "status 429", retry: retry)])
    }

    private let told = Failure(source: "primary", kind: .rateLimited, message: "status 429")

    /// A primary that has limited us at the start, for two minutes.
    private func makeSUT(_ sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: 0)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.handle(.reading(limited(anyTick(0), for: .seconds(120)), from: 0), at: 0)
        _ = sut.handle(.time, at: 1000)
        return sut
    }

    @Test func `13: the fallback has the whole budget, and the reading says why`() {
        var sut = makeSUT()
        let tick = anyTick(1)
        #expect(sut.handle(.tick(tick), at: 1000) == [.ask(1, tick.within(1000))])
        let rescued = Reading(answering: tick, anyQuote(), from: "fallback", after: [told])
        #expect(sut.handle(.reading(quoted("fallback", tick), from: 1), at: 1050) == [.answer(rescued)])
    }

    @Test(arguments: [(119_999, 1), (120_000, 0), (120_001, 0)])
    func `it is asked again when its time is up`(time: Int, asked: Int) {
        var sut = makeSUT()
        let tick = anyTick(1)
        #expect(sut.handle(.tick(tick), at: time).first == .ask(asked, tick.within(asked == 0 ? 800 : 1000)))
    }

    @Test func `with nobody else the tick fails at once`() {
        var sut = makeSUT(1)
        #expect(sut.handle(.tick(anyTick(1)), at: 1000) == [.answer(Reading(answering: anyTick(1), [told]))])
    }

    @Test func `a process that has ended meanwhile changes nothing`() {
        var sut = makeSUT()
        _ = sut.handle(.lost(0, message: "ended by signal 9"), at: 1000)
        #expect(sut.handle(.tick(anyTick(1)), at: 2000) == [.ask(1, anyTick(1).within(1000))])
    }

    @Test func `a fallback is left alone too`() {
        var sut = Simulation(trip: 0)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.handle(.reading(failed("primary", anyTick(0)), from: 0), at: 1)
        _ = sut.handle(.reading(limited(anyTick(0), for: .seconds(60)), from: 1), at: 2)
        _ = sut.handle(.tick(anyTick(1)), at: 1000)
        let actions = sut.handle(.reading(failed("primary", anyTick(1)), from: 0), at: 1001)
        #expect(
            actions == [.answer(Reading(answering: anyTick(1), [anyFailure("primary", .network), told]))])
    }

    @Test func `nobody rests for more than an hour, and a refusal without a time is no rest`() {
        var sut = Simulation(1, trip: 0)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.handle(.reading(limited(anyTick(0), for: .seconds(1_000_000)), from: 0), at: 0)
        #expect(sut.handle(.tick(anyTick(1)), at: 3_600_000) == [.ask(0, anyTick(1).within(800))])
        _ = sut.handle(.reading(limited(anyTick(1), for: nil), from: 0), at: 3_600_001)
        #expect(sut.handle(.tick(anyTick(2)), at: 3_601_000) == [.ask(0, anyTick(2).within(800))])
    }
}
