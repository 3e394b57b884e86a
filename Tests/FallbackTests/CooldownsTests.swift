import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// A source that has asked for a pause is not queried, and no tick waits for it.
@Suite(.unit) struct CooldownsTests {
    private func limited(
        _ tick: Tick, for retry: Duration?, kind: Failure.Kind = .rateLimited
    ) -> Reading {
        Reading(
            answering: tick, [Failure(source: "primary", kind: kind, message: "status 429", retry: retry)])
    }

    private let reported = Failure(source: "primary", kind: .rateLimited, message: "status 429")

    /// A simulation whose primary has rate-limited us for two minutes at the start.
    private func makeSUT(_ sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: 0, asking: anyTick(0))
        _ = sut.read(limited(anyTick(0), for: .seconds(120)), from: 0, at: 0)
        _ = sut.advance(to: 1000)
        return sut
    }

    @Test(.fault(13))
    func
        `during the primary's cooldown the fallback has the whole budget, and the reading has the reason`()
    {
        var sut = makeSUT()
        let tick = anyTick(1)
        #expect(sut.handle(.tick(tick), at: 1000) == [.ask(1, tick.within(1000))])
        let rescued = Reading(answering: tick, anyQuote(), from: "fallback", after: [reported])
        #expect(sut.read(quoted("fallback", tick), from: 1, at: 1050) == [.answer(rescued)])
    }

    @Test(arguments: [(119_999, 1), (120_000, 0), (120_001, 0)])
    func `a source is queried again after its cooldown`(time: Int, asked: Int) {
        var sut = makeSUT()
        let tick = anyTick(1)
        #expect(sut.handle(.tick(tick), at: time).first == .ask(asked, tick.within(asked == 0 ? 800 : 1000)))
    }

    @Test func `without a fallback the tick fails immediately`() {
        var sut = makeSUT(1)
        #expect(
            sut.handle(.tick(anyTick(1)), at: 1000) == [.answer(Reading(answering: anyTick(1), [reported]))])
    }

    @Test func `the cooldown outlives the source's process`() {
        var sut = makeSUT()
        _ = sut.handle(.lost(0, message: "ended by signal 9"), at: 1000)
        #expect(sut.handle(.tick(anyTick(1)), at: 2000) == [.ask(1, anyTick(1).within(1000))])
    }

    @Test func `a fallback can be in a cooldown as well`() {
        var sut = Simulation(trip: 0, asking: anyTick(0))
        _ = sut.read(failed("primary", anyTick(0)), from: 0, at: 1)
        _ = sut.read(limited(anyTick(0), for: .seconds(60)), from: 1, at: 2)
        _ = sut.handle(.tick(anyTick(1)), at: 1000)
        let actions = sut.read(failed("primary", anyTick(1)), from: 0, at: 1001)
        #expect(
            actions == [.answer(Reading(answering: anyTick(1), [anyFailure("primary", .network), reported]))])
    }

    @Test func `a cooldown lasts an hour at most, and a failure without a retry time does not begin one`() {
        var sut = Simulation(1, trip: 0, asking: anyTick(0))
        _ = sut.read(limited(anyTick(0), for: .seconds(1_000_000)), from: 0, at: 0)
        #expect(sut.handle(.tick(anyTick(1)), at: 3_600_000) == [.ask(0, anyTick(1).within(800))])
        _ = sut.read(limited(anyTick(1), for: nil), from: 0, at: 3_600_001)
        #expect(sut.handle(.tick(anyTick(2)), at: 3_601_000) == [.ask(0, anyTick(2).within(800))])
    }

    @Test(arguments: [Failure.Kind.denied, .unsupported])
    func
        `a source that rejects a symbol is queried for other symbols, and for the rejected symbol after its cooldown`(
            kind: Failure.Kind
        )
    {
        // Given a source that rejected one symbol for a minute
        var sut = Simulation(trip: 0)
        func ask(_ symbol: String, _ second: Int) -> [FallbackPolicy.Action] {
            sut.handle(.tick(anyTick(second, symbol: symbol)), at: second * 1000)
        }
        let refused = anyTick(0, symbol: "PEPE-USD")
        _ = ask("PEPE-USD", 0)
        _ = sut.read(limited(refused, for: .seconds(60), kind: kind), from: 0, at: 0)
        // Then
        #expect(ask("BTC-USD", 1).first == .ask(0, anyTick(1, symbol: "BTC-USD").within(800)))
        #expect(ask("PEPE-USD", 59).first == .ask(1, anyTick(59, symbol: "PEPE-USD").within(1000)))
        #expect(ask("PEPE-USD", 60).first == .ask(0, anyTick(60, symbol: "PEPE-USD").within(800)))
    }

    @Test func `a quote does not begin a cooldown, whatever failures came before it`() {
        var sut = Simulation(1, trip: 0)
        let before = limited(anyTick(0), for: .seconds(60)).failures
        let rescued = Reading(answering: anyTick(0), anyQuote(), from: "inner fallback", after: before)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        let actions = sut.read(rescued, from: 0, at: 10)
        let plain = Reading(answering: anyTick(0), anyQuote(), from: "inner fallback", after: [reported])
        #expect(actions == [.answer(plain)])
        #expect(sut.handle(.tick(anyTick(1)), at: 1000) == [.ask(0, anyTick(1).within(800))])
    }
}
