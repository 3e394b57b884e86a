import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The rule by which a source that hangs is restarted.
@Suite(.unit) struct SilencesTests {
    private func restarts(_ sut: inout Simulation, ticks: Range<Int>) -> [Int] {
        var restarts: [Int] = []
        for second in ticks {
            var actions = sut.handle(.tick(anyTick(second)), at: second * 1000)
            for time in [800, 999, 1000] { actions += sut.advance(to: second * 1000 + time) }
            let hung = FallbackPolicy.Action.restart(0, message: "no answer to 5 ticks in a row")
            if actions.contains(hung) { restarts.append(second) }
        }
        return restarts
    }

    @Test(.fault(5))
    func `a source is restarted after five ticks in a row without an answer, and again after ten`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, ticks: 0..<4) == [])
        #expect(restarts(&sut, ticks: 4..<5) == [4])
        #expect(restarts(&sut, ticks: 5..<10) == [9])
    }

    @Test func `a late answer is a sign of life`() {
        var sut = Simulation(1)
        #expect(restarts(&sut, ticks: 0..<4) == [])
        _ = sut.handle(.reading(failed("primary", anyTick(3)), from: 0), at: 3900)
        #expect(restarts(&sut, ticks: 4..<8) == [])
        #expect(restarts(&sut, ticks: 8..<9) == [8])
    }

    @Test func `the pending ticks of a source that hangs fail, and the fallbacks are asked`() {
        // Given a source that is silent to four ticks, and to a fifth one that comes together with a sixth
        var sut = Simulation(timeout: 800, budget: 5000, trip: 0)
        for second in 0..<5 { _ = sut.handle(.tick(anyTick(second)), at: second * 1000) }
        let last = anyTick(5)
        _ = sut.handle(.tick(last), at: 4100)
        // When the fifth one times out
        let actions = sut.advance(to: 4800)
        // Then the sixth one does not wait any longer
        #expect(actions.contains(.restart(0, message: "no answer to 5 ticks in a row")))
        #expect(actions.contains(.ask(1, last.within(4300))))
    }
}
