import Foundation
import TestSupport

/// What one command has taken: seconds by the clock, and of processors, with all that it has started.
struct Cost {
    let wall: Double
    let processor: Double

    /// Runs a shell command to its end. It must be the only one.
    static func of(_ command: String, environment: [String: String] = [:]) -> Cost {
        let (before, start) = (processorTime(), ContinuousClock.now)
        let running = RunningProgram("bash", ["-c", command], environment: environment)
        let result = running.finish(within: .seconds(600))
        precondition(result.status == 0, "\(command): status \(result.status): \(result.errors)")
        return Cost(
            wall: (ContinuousClock.now - start) / .seconds(1), processor: processorTime() - before)
    }

    /// The processor time, in seconds, of the processes that `work` starts and that have ended when it returns.
    static func ofChildren(_ work: () -> Void) -> Double {
        let before = processorTime()
        work()
        return processorTime() - before
    }

    private static func processorTime() -> Double {
        var usage = rusage()
        #if canImport(Darwin)
            getrusage(RUSAGE_CHILDREN, &usage)
        #else
            getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        #endif
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }
}
