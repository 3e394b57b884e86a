import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The rule that decides when late answers of a source are reported.
@Suite(.unit) struct LatenessTests {
    private let late = FallbackPolicy.Notice(source: 0, text: "no answer within 800 ms")

    /// Plays one beat per second.
    ///
    /// - Parameter isAnswered: whether the source has a quote for the first symbol in time.
    /// - Returns: each notice with the number of its beat.
    private func notices(
        _ sut: inout Simulation, beats: Range<Int>, symbols: [String] = ["BTC-USD"], isAnswered: Bool = false
    ) -> [String] {
        beats.flatMap { second in
            let ticks = symbols.map { anyTick(second, symbol: $0) }
            _ = sut.handle(ticks.map { .tick($0) }, at: second * 1000)
            if isAnswered { _ = sut.read(quoted("primary", ticks[0]), from: 0, at: second * 1000 + 300) }
            for time in [799, 800, 1000] { _ = sut.advance(to: second * 1000 + time) }
            return sut.takeNotices().map { "\(second): \($0.text)" }
        }
    }

    @Test func `a source that never answers is reported once, and later with a hint about buffered output`() {
        var sut = Simulation(1)
        #expect(notices(&sut, beats: 0..<1) == ["0: no answer within 800 ms"])
        #expect(notices(&sut, beats: 1..<4) == [])
        let hint = notices(&sut, beats: 4..<5)
        #expect(hint.count == 1 && hint[0].hasPrefix("4: it has never answered; if it buffers its output"))
        #expect(notices(&sut, beats: 5..<20) == [])
    }

    @Test
    func `after timely answers the second late beat is reported, and again after the next timely answer`() {
        var sut = Simulation(1)
        for start in [0, 10] {
            #expect(notices(&sut, beats: start..<start + 2, isAnswered: true) == [])
            #expect(notices(&sut, beats: start + 2..<start + 3) == [])
            #expect(notices(&sut, beats: start + 3..<start + 10) == ["\(start + 3): no answer within 800 ms"])
        }
    }

    @Test func `a source that answers some of its symbols in time is not reported`() {
        var sut = Simulation(1)
        let symbols = ["BTC-USD", "ETH-USD", "XRP-USD"]
        #expect(notices(&sut, beats: 0..<10, symbols: symbols, isAnswered: true) == [])
    }

    @Test func `the ticks of one beat count once`() {
        var sut = Lateness()
        sut.end()
        #expect([1, 1, 2, 2].map { sut.record($0) } == [false, false, true, false])
    }

    @Test func `late answers are reported, and so are the source's own timeouts`() {
        var sut = Simulation(1)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        _ = sut.advance(to: 800)
        _ = sut.read(quoted("primary", anyTick(0)), from: 0, at: 900)
        #expect(sut.takeNotices() == [late])
        _ = sut.handle(.tick(anyTick(1)), at: 1000)
        _ = sut.advance(to: 1800)
        #expect(sut.takeNotices() == [])
        // Given
        sut = Simulation(1)
        _ = sut.handle(.tick(anyTick(0)), at: 0)
        // When
        let reading = Reading(answering: anyTick(0), [timedOut("primary", after: 300)])
        _ = sut.read(reading, from: 0, at: 300)
        // Then
        #expect(sut.takeNotices().map(\.text) == ["no answer within 300 ms"])
    }

    @Test func `failures that the source reports are not reported again, nor is the silence after them`() {
        var sut = Simulation(1)
        for second in 0..<4 {
            _ = sut.handle(.tick(anyTick(second)), at: second * 1000)
            let answer = failed("primary", anyTick(second))
            if second < 2 { _ = sut.read(answer, from: 0, at: second * 1000 + 100) }
            _ = sut.advance(to: second * 1000 + 999)
        }
        #expect(sut.takeNotices() == [])
    }
}
