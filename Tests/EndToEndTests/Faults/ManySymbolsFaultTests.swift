import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Thousands of symbols in one beat.
@Suite(.endToEnd) struct ManySymbolsFaultTests {
    private let marked = MarkedProcesses()

    /// The ticks of a beat with 5,000 symbols. Together, these ticks do not fit into a pipe.
    private func beat(_ number: Int) -> String {
        (0..<5000).map { #"{"tick":\#(number),"symbol":"SYMBOL-\#($0)"}"# + "\n" }.joined()
    }

    private func readings(_ running: RunningProgram) throws -> [Reading] {
        try (0..<5000).map { _ in try running.nextReading() }
    }

    @Test(.fault(61))
    func `5,000 ticks are answered within 6 seconds even if all sources are silent`() throws {
        let running = RunningProgram(
            "price-fallback", ["exec sleep 99", ShellSource.silent], environment: marked.environment)
        let start = ContinuousClock.now
        running.write(beat(0))
        // Only the primary's failure is checked: on a busy machine, price-fallback may lack the time to
        // query the fallback.
        #expect(try readings(running).allSatisfy { $0.quote == nil && $0.failures[0].kind == .timeout })
        // `scripts/bench silence` measures about 1 s. For an earlier version, in which at most 256 ticks could be
        // pending, it measured 20 s.
        #expect(ContinuousClock.now - start < .seconds(6))
    }

    @Test(.fault(61))
    func `a source gets all ticks of a beat, even if its pipe cannot hold all of them`() throws {
        let source =
            #"sed -u 's/}$/,"source":"s","quote":{"value":"1","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}/'"#
        let running = RunningProgram(
            "price-fallback", ["--timeout", "20s", "--budget", "30s", source], environment: marked.environment
        )
        running.write(beat(0))
        let readings = try readings(running)
        #expect(readings.allSatisfy(\.isFresh) && Set(readings.map(\.pricedSymbol)).count == 5000)
    }
}
