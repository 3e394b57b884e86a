import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// After several failures in a row, the primary is only probed, so that the fallback's price is shown without delay.
/// `Simulation.expect` explains the steps.
@Suite(.unit) struct CircuitBreakerTests {
    /// A simulation in which the primary was silent for `outage` ticks, each of which the fallback answered.
    private func makeSUT(_ outage: Int, trip: Int = 3, sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: trip)
        let states: [Character] = [".", "v"] + Array(repeating: ".", count: sources - 2)
        for second in 0..<outage { _ = sut.play(second, states) }
        return sut
    }

    private let silence = "0 timeout: after 3 failures in a row, the source is only probed"

    @Test(.fault(20), arguments: [(0, false), (1, false), (2, false), (3, true), (4, true)])
    func `by default, the fallbacks are queried immediately from the fourth tick of an outage on`(
        outage: Int, isProbed: Bool
    ) {
        makeSUT(outage).expect("10000 tick → ask 0/800\(isProbed ? ", ask 1/1000" : "")")
    }

    @Test(.fault(20)) func `while the primary is only probed, the fallback's quote is used on arrival`() {
        makeSUT(3).expect("10000 tick → ask 0/800, ask 1/1000", "10070 1v → 1v after \(silence)")
    }

    @Test(.fault(20), arguments: [(799, ""), (800, ", ask 1/1000 13"), (801, ", ask 1/1000 13")])
    func `after the primary answers a probe in time, the next tick waits for the primary again`(
        time: Int, probe: String
    ) {
        makeSUT(3).expect(
            "10000 tick → ask 0/800, ask 1/1000", "10070 1v → 1v after \(silence)", "\(10_000 + time) 0v → ",
            "11000 tick 13 → ask 0/800 13\(probe)")
    }

    @Test func `if the primary answers its probe before the fallback answers, the primary's quote is used`() {
        makeSUT(3).expect("10000 tick → ask 0/800, ask 1/1000", "10050 0v → 0v")
    }

    @Test func `if the fallback fails, a tick still waits for the primary's answer to the probe`() {
        makeSUT(3).expect("10000 tick → ask 0/800, ask 1/1000", "10050 1x → ", "10700 0v → 0v")
    }

    @Test func `in an outage, a later fallback's quote is held back until the earlier fallback answers`() {
        makeSUT(3, sources: 3).expect(
            "10000 tick → ask 0/800, ask 1/1000, ask 2/1000", "10050 2b → ", "10070 1v → 1v after \(silence)")
    }

    @Test func `--trip 0 disables the circuit breaker, and --trip 1 opens it after a single failed tick`() {
        makeSUT(20, trip: 0).expect("30000 tick → ask 0/800")
        makeSUT(1, trip: 1).expect(
            "30000 tick → ask 0/800, ask 1/1000",
            "30070 1v → 1v after 0 timeout: after a failure, the source is only probed")
    }

    @Test func `an outage for one symbol does not affect other symbols`() {
        makeSUT(3).expect("10000 tick ETH-USD → ask 0/800 ETH-USD")
    }

    @Test func `a single success resets the failure count`() {
        var sut = Simulation()
        for (second, state) in "xxvxx".enumerated() {
            _ = sut.play(second, [state, state == "v" ? "-" : "x"])
        }
        sut.expect("10000 tick → ask 0/800")
    }

    @Test func `a probed primary is listed as failed, with the kind of its last failure`() {
        var sut = Simulation(trip: 2)
        for (second, state) in ".x".enumerated() { _ = sut.play(second, [state, "v"]) }
        sut.expect(
            "3000 tick → ask 0/800, ask 1/1000",
            "3010 1v → 1v after 0 network: after 2 failures in a row, the source is only probed")
    }

    @Test func `a store without a fresh quote does not open the circuit breaker`() {
        var sut = Simulation()
        for second in 0..<5 {
            sut.expect("\(second * 1000) tick → ask 0/800", "\(second * 1000 + 1) 0s → ask 1/999")
            _ = sut.play(second, ["s", "v"])
        }
    }

    @Test func `ticks during the primary's cooldown count as failures of the primary`() {
        // Given a primary that has requested a pause of 2.5 seconds
        var sut = Simulation()
        for (second, state) in "u--".enumerated() { _ = sut.play(second, [state, "v"]) }
        // Then, after the pause, the primary is only probed
        sut.expect("3000 tick → ask 0/800, ask 1/1000")
    }
}
