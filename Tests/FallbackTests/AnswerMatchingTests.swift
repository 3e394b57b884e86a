import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The rules by which answers are matched to ticks.
@Suite(.unit) struct AnswerMatchingTests {
    private let tick = anyTick(12)

    @Test func `an answer with another tick number or symbol is discarded`() {
        var sut = Simulation(asking: tick)
        #expect(sut.read(quoted("primary", anyTick(11)), from: 0, at: 10) == [])
        #expect(sut.read(quoted("primary", anyTick(12, symbol: "ETH-USD")), from: 0, at: 10) == [])
        #expect(sut.pendingCount == 1)
    }

    @Test func `a duplicate answer is discarded`() {
        var sut = Simulation(asking: tick)
        _ = sut.read(quoted("primary", tick), from: 0, at: 10)
        #expect(sut.read(quoted("primary", tick, "9.00"), from: 0, at: 11) == [])
    }

    @Test func `a late answer is discarded, even while a later tick is pending`() {
        var sut = Simulation(1, asking: tick)
        _ = sut.advance(to: 800)
        _ = sut.handle(.tick(anyTick(13)), at: 1000)
        #expect(sut.read(quoted("primary", tick), from: 0, at: 1500) == [])
        #expect(sut.pendingCount == 1)
    }

    @Test func `an answer without a symbol belongs to a tick for BTC-USD`() {
        var sut = Simulation()
        let named = anyTick(12, symbol: "BTC-USD")
        _ = sut.handle(.tick(named), at: 0)
        let actions = sut.read(quoted("primary", tick), from: 0, at: 10)
        #expect(actions == [.answer(quoted("primary", named))])
    }

    @Test func `an answer from a source that was not queried is discarded`() {
        var sut = Simulation(asking: tick)
        #expect(sut.read(quoted("fallback", tick), from: 1, at: 10) == [])
        #expect(sut.pendingCount == 1)
    }

    @Test func `two symbols of one beat are each answered with their own quote`() {
        var sut = Simulation()
        let ether = anyTick(12, symbol: "ETH-USD")
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.handle(.tick(ether), at: 0)
        let second = sut.read(quoted("primary", ether, "3012.55"), from: 0, at: 10)
        let first = sut.read(quoted("primary", tick), from: 0, at: 20)
        #expect(second == [.answer(quoted("primary", ether, "3012.55"))])
        #expect(first == [.answer(quoted("primary", tick))])
    }

    @Test func `the ticks of one symbol are answered in order`() {
        var sut = Simulation()
        let next = anyTick(13)
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.handle(.tick(next), at: 100)
        let early = sut.read(quoted("primary", next), from: 0, at: 150)
        let both = sut.read(quoted("primary", tick), from: 0, at: 160)
        #expect(early == [])
        #expect(both == [.answer(quoted("primary", tick)), .answer(quoted("primary", next))])
    }

    @Test func `when a source is lost, all its ticks fail immediately and the fallbacks are queried`() {
        var sut = Simulation()
        let next = anyTick(13)
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.handle(.tick(next), at: 100)
        let actions = sut.handle(.lost(0, message: "ended by signal 9"), at: 200)
        #expect(actions == [.ask(1, tick.within(800)), .ask(1, next.within(900))])
        let failure = Failure(source: "primary", kind: .exited, message: "ended by signal 9")
        let rescued = sut.read(quoted("fallback", tick), from: 1, at: 210)
        #expect(
            rescued == [.answer(Reading(answering: tick, anyQuote(), from: "fallback", after: [failure]))])
    }

    @Test func `a source keeps its initial name until its first reading names it`() {
        var sut = Simulation(1, asking: anyTick(1))
        let before = sut.handle(.lost(0, message: "gone"), at: 1)
        _ = sut.handle(.tick(anyTick(2)), at: 1000)
        _ = sut.read(quoted("binance", anyTick(2)), from: 0, at: 1001)
        _ = sut.handle(.tick(anyTick(3)), at: 2000)
        let after = sut.handle(.lost(0, message: "gone"), at: 2001)
        func gone(_ name: String, _ tick: Int) -> FallbackPolicy.Action {
            .answer(
                Reading(answering: anyTick(tick), [Failure(source: name, kind: .exited, message: "gone")]))
        }
        #expect(before == [gone("primary", 1)])
        #expect(after == [gone("binance", 3)])
    }

    @Test func `a quote with the error flag of another pipeline does not count as a quote`() {
        var sut = Simulation(1, asking: tick)
        var stale = quoted("cached", tick)
        stale.error = true
        let failure = Failure(source: "cached", kind: .invalidData, message: "no new quote")
        #expect(sut.read(stale, from: 0, at: 10) == [.answer(Reading(answering: tick, [failure]))])
    }

    @Test func `a source that only fails takes its name from its failures`() {
        var sut = Simulation(1, asking: anyTick(1))
        _ = sut.read(failed("binance", anyTick(1)), from: 0, at: 1)
        _ = sut.handle(.tick(anyTick(2)), at: 1000)
        let lost = Failure(source: "binance", kind: .exited, message: "gone")
        #expect(
            sut.handle(.lost(0, message: "gone"), at: 1001) == [
                .answer(Reading(answering: anyTick(2), [lost]))
            ])
    }

    @Test func `events that arrive together are applied in order`() {
        var sut = Simulation()
        let (first, second) = (anyTick(1), anyTick(2))
        let asked = sut.handle([.tick(first), .tick(second)], at: 0)
        let answered = sut.handle(
            [.reading(quoted("primary", first, "1.00"), from: 0), .lost(0, message: "gone")], at: 10)
        #expect(asked == [.ask(0, first.within(800)), .ask(0, second.within(800))])
        #expect(answered == [.ask(1, second.within(990)), .answer(quoted("primary", first, "1.00"))])
    }
}
