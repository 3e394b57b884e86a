import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The rule by which a source that hangs is restarted.
@Suite(.unit) struct SilencesTests {
    /// Plays one beat per second, which the source does not answer.
    ///
    /// - Parameter answered: the one symbol that it does answer; nil for none.
    /// - Returns: the beats in which it is restarted.
    private func restarts(
        _ sut: inout Simulation, beats: Range<Int>, symbols: [String] = ["BTC-USD"], answered: String? = nil
    ) -> [Int] {
        var restarts: [Int] = []
        for second in beats {
            let ticks = symbols.map { anyTick(second, symbol: $0) }
            var actions = sut.handle(ticks.map { .tick($0) }, at: second * 1000)
            if let answered {
                let reading = quoted("primary", anyTick(second, symbol: answered))
                actions += sut.read(reading, from: 0, at: second * 1000 + 300)
            }
            for time in [800, 999, 1000] { actions += sut.advance(to: second * 1000 + time) }
            let hung = FallbackPolicy.Action.restart(0, message: "no answer in 5 beats in a row")
            if actions.contains(hung) { restarts.append(second) }
        }
        return restarts
    }

    @Test(.fault(5))
    func `a source is restarted after five beats in a row without an answer, and again after ten`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<4) == [])
        #expect(restarts(&sut, beats: 4..<5) == [4])
        #expect(restarts(&sut, beats: 5..<10) == [9])
    }

    @Test func `a late answer shows that the source does not hang`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<4) == [])
        _ = sut.read(failed("primary", anyTick(3)), from: 0, at: 3900)
        #expect(restarts(&sut, beats: 4..<8) == [])
        #expect(restarts(&sut, beats: 8..<9) == [8])
    }

    private var symbols: [String] { (0..<50).map { "S\($0)-USD" } }

    @Test(.fault(44)) func `a beat counts once, however many symbols it contains`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<4, symbols: symbols) == [])
        #expect(restarts(&sut, beats: 4..<5, symbols: symbols) == [4])
    }

    @Test(.fault(44)) func `a source that answers one of fifty symbols in every beat is never restarted`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<20, symbols: symbols, answered: "S7-USD") == [])
    }

    @Test func `a beat in which one symbol was answered does not count`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<1, symbols: symbols, answered: "S7-USD") == [])
        #expect(restarts(&sut, beats: 1..<5, symbols: symbols) == [])
        #expect(restarts(&sut, beats: 5..<6, symbols: symbols) == [5])
    }

    @Test func `beats that arrive together count once`() {
        var sut = Simulation(1)
        let restarted = (0..<5).map { burst in
            let ticks = (0..<30).map { FallbackPolicy.Event.tick(anyTick(burst * 30 + $0)) }
            _ = sut.handle(ticks, at: burst * 1000)
            return sut.advance(to: burst * 1000 + 800).contains(
                .restart(0, message: "no answer in 5 beats in a row"))
        }
        #expect(restarted == [false, false, false, false, true])
    }

    @Test func `a beat ends when its last tick times out`() {
        // Given a source that was silent in four beats
        var sut = Simulation(1)
        #expect(restarts(&sut, beats: 0..<4) == [])
        // When the ticks of the fifth beat arrive one after the other
        let (first, last) = (anyTick(4), anyTick(4, symbol: "ETH-USD"))
        _ = sut.handle(.tick(first), at: 4000)
        _ = sut.handle(.tick(last), at: 4050)
        // Then the source has time until the last one times out
        let hung = FallbackPolicy.Action.restart(0, message: "no answer in 5 beats in a row")
        #expect(!sut.advance(to: 4800).contains(hung))
        #expect(sut.advance(to: 4850).contains(hung))
    }

    @Test func `the pending ticks of a source that hangs fail, and the fallbacks are queried`() {
        // Given a source that has not answered four ticks, nor a fifth one that is followed closely by a sixth
        var sut = Simulation(timeout: 800, budget: 5000, trip: 0)
        for second in 0..<5 { _ = sut.handle(.tick(anyTick(second)), at: second * 1000) }
        let last = anyTick(5)
        _ = sut.handle(.tick(last), at: 4100)
        // When the fifth one times out
        let actions = sut.advance(to: 4800)
        // Then the sixth one does not wait for the source any longer
        #expect(actions.contains(.restart(0, message: "no answer in 5 beats in a row")))
        #expect(actions.contains(.ask(1, last.within(4300))))
    }
}
