import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The reports about late and silent sources, and the restarts of silent sources.
@Suite(.unit) struct SilencesTests {
    /// The number of symbols, and timelines with one character per beat: the behavior of the source, its
    /// restarts, and the reports about it. See `Simulation.playBeats`.
    @Test(
        .fault(5, 44),
        arguments: [
            // A source that never answers is restarted every five beats. It is reported as late once. Later,
            // a hint about buffered output is reported once.
            (1, "....................", "----R----R----R----R", "L---H---------------"),
            // A late answer shows that the source does not hang, but the source still counts as late.
            (1, "...l.....", "--------R", "L--------"),
            // After timely answers, lateness is reported in the second late beat; after further timely answers it is
            // reported again.
            (1, "vv........vv........", "------R---------R---", "---L---------L------"),
            // After a source has reported a network failure itself, its silence is not reported in addition.
            (1, "xx..", "----", "----"),
            // A beat counts once, however many symbols it contains.
            (50, ".....", "----R", "L---H"),
            // A source that answers the tick for one of fifty symbols in every beat is neither restarted nor reported.
            (50, "vvvvvvvvvvvvvvvvvvvv", "--------------------", "--------------------"),
            // A beat in which one symbol was answered does not count as silent.
            (50, "v.....", "-----R", "-L----"),
        ])
    func `a source is restarted after five silent beats in a row and reported when it is late`(
        symbols: Int, answers: String, restarts: String, reports: String
    ) {
        var sut = Simulation(1)
        let seen = sut.playBeats(answers, symbols: symbols)
        #expect(seen.restarts == restarts && seen.reports == reports)
    }

    @Test func `a source that itself reports a timeout is also reported as late`() {
        var sut = Simulation(2, asking: anyTick())
        let timeout = Failure(source: "any", kind: .timeout, message: "no answer within 300 ms")
        _ = sut.read(failed("0", anyTick()), from: 0, at: 100)
        _ = sut.read(Reading(answering: anyTick(), [timeout]), from: 1, at: 300)
        #expect(sut.takeNotices() == [FallbackPolicy.Notice(source: 1, text: "no answer within 300 ms")])
    }

    @Test func `several late ticks of one beat count as one late beat`() {
        var sut = Lateness()
        sut.end()
        #expect([1, 1, 2, 2].map { sut.record($0) } == [false, false, true, false])
    }

    @Test func `beats whose ticks arrive together count as one beat`() {
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
        _ = sut.playBeats("....", symbols: 1)
        // Then it is restarted only when the last tick of the fifth beat times out
        sut.expect(
            "4000 tick 4 → ask 0/800 4", "4050 tick 4 ETH-USD → ask 0/800 4 ETH-USD",
            "4800 → none after 0>800 4",
            "4850 → restart 0: no answer in 5 beats in a row, none after 0>800 4 ETH-USD")
    }

    @Test func `when a source hangs, its pending queries fail, and the fallbacks are queried`() {
        // Given a source that left four ticks unanswered, and a fifth tick that is pending
        var sut = Simulation(budget: 5000, trip: 0)
        for second in 0..<5 { _ = sut.handle(.tick(anyTick(second)), at: second * 1000) }
        // When a sixth tick arrives and the fifth tick times out, the sixth tick no longer waits for the source
        sut.expect(
            "4100 tick → ask 0/800",
            "4800 → restart 0: no answer in 5 beats in a row, ask 1/4200 4, ask 1/4300")
    }
}
