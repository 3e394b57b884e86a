import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Outages as timelines, one character per second. Sources behave as in `Simulation.answer`. The result of
/// each tick is the primary's quote (`P`), the fallback's quote (`F`) or no quote (`S`, because price-cache
/// then substitutes the stored quote).
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
    func `each tick gets the primary's quote, or a quote from the fallback if the primary fails`(
        outage: Outage
    ) {
        var sut = Simulation()
        var shown = ""
        for (second, states) in zip(outage.primary, outage.fallback).enumerated() {
            for reading in sut.play(second, [states.0, states.1]) {
                shown += reading.source.map { $0 == "0" ? "P" : "F" } ?? "S"
            }
        }
        #expect(shown == outage.shown)
    }
}
