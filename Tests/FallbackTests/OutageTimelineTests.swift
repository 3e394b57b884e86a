import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Outages as timelines, one character per second. A source: `v` answers after 50 ms, `x` fails after 50 ms,
/// `.` is silent, `e` has ended, `u` does not price the symbol and asks for a pause of 2.5 s, `-` is not asked.
/// Shown: `P` the primary's quote, `F` the fallback's, `S` none (price-cache substitutes the stored one).
@Suite(.unit) struct OutageTimelineTests {
    struct Outage: CustomTestStringConvertible, Sendable {
        let primary: String
        let fallback: String
        let shown: String
        var testDescription: String { "\(primary) \(fallback) \(shown)" }
    }

    @Test(arguments: [
        Outage(primary: "vvvvv", fallback: "-----", shown: "PPPPP"),
        Outage(primary: "vv.xv", fallback: "--vx-", shown: "PPFSP"),
        Outage(primary: ".....", fallback: "vvvvv", shown: "FFFFF"),
        Outage(primary: "x.e.v", fallback: ".xe..", shown: "SSSSP"),
        Outage(primary: "ev.vx", fallback: "v-e-v", shown: "FPSPF"),
        Outage(primary: "u--u-", fallback: "vvvvv", shown: "FFFFF"),
        Outage(primary: "vvvv.", fallback: "----u", shown: "PPPPS"),
    ])
    func `the sources determine the price that is shown`(outage: Outage) {
        var sut = Simulation()
        var shown = ""
        for (second, states) in zip(outage.primary, outage.fallback).enumerated() {
            shown += play(second, [states.0, states.1], &sut)
        }
        #expect(shown == outage.shown)
    }

    /// Plays one second, in which each source that is asked behaves as its state says.
    ///
    /// - Returns: what is shown within the budget.
    private func play(_ second: Int, _ states: [Character], _ sut: inout Simulation) -> String {
        let tick = anyTick(second)
        let start = second * 1000
        var asked: Set<Int> = []
        var shown = ""
        var due = sut.handle(.tick(tick), at: start).map { (start, $0) }
        while !due.isEmpty {
            let (time, action) = due.removeFirst()
            switch action {
            case .answer(let reading): shown += reading.source.map { $0 == "0" ? "P" : "F" } ?? "S"
            case .restart: break
            case .ask(let source, _):
                asked.insert(source)
                if let event = answer(of: source, states[source], to: tick) {
                    due += sut.handle(event, at: time + 50).map { (time + 50, $0) }
                }
            }
            if due.isEmpty { due = sut.passToDeadline(until: start + 1000) }
        }
        #expect(asked == Set(states.indices.filter { states[$0] != "-" }), "second \(second)")
        return shown
    }

    private func unsupported(_ source: String) -> Failure {
        Failure(source: source, kind: .unsupported, message: "unknown pair", retry: .milliseconds(2500))
    }

    private func answer(of source: Int, _ state: Character, to tick: Tick) -> FallbackPolicy.Event? {
        switch state {
        case "v": .reading(quoted("\(source)", tick), from: source)
        case "x": .reading(failed("\(source)", tick), from: source)
        case "u": .reading(Reading(answering: tick, [unsupported("\(source)")]), from: source)
        case "e": .lost(source, message: "exited with status 1")
        default: nil
        }
    }
}
