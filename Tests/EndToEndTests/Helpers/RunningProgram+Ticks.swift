import PipeCommon
import TestSupport
import Testing

/// Helpers for tests that send ticks to a running stage one by one.
extension RunningProgram {
    /// Writes a tick and returns the reading that answers it.
    func answer(to tick: Int = 0) throws -> Reading {
        write(#"{"tick":\#(tick)}"# + "\n")
        return try nextReading()
    }

    /// Writes a tick and returns the only failure in the reading that answers it.
    func failure(at tick: Int = 0) throws -> Failure {
        let reading = try answer(to: tick)
        #expect(reading.quote == nil && reading.failures.count == 1, "\(reading.text)")
        return try #require(reading.failures.first)
    }

    func nextReading() throws -> Reading {
        try Reading(line: try #require(readLine()).utf8)
    }

    /// Sends up to 30 ticks, numbered from `tick + 1`, until the given source answers a tick.
    ///
    /// - Returns: whether the source has answered a tick.
    func isAnswered(by source: String, after tick: Int) throws -> Bool {
        for tick in tick + 1...tick + 30 {
            if try answer(to: tick).source == source { return true }
            wait(.milliseconds(300))
        }
        return false
    }

    /// The number of the process's open file descriptors. Needs `/proc`.
    var descriptors: Int { openDescriptors(of: process) }

    /// Lets time pass when a test cannot wait for a condition, because nothing should happen or because the
    /// event cannot be observed.
    func wait(_ time: Duration) {
        waitUntil(within: time) { false }
    }
}

extension RunningProgram.Result {
    /// The ticks on standard output, one per line.
    func ticks() throws -> [Tick] {
        try lines.map { try Tick(line: $0.utf8) }
    }

    /// The readings on standard output, one per line.
    func readings() throws -> [Reading] {
        try lines.map { try Reading(line: $0.utf8) }
    }
}
