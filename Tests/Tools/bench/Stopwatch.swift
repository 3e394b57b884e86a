import Foundation
import TestSupport

/// The wall-clock time and the processor time of a command and all processes that it has started, in seconds.
struct Cost {
    let wall: Double
    let processor: Double

    /// Runs a shell command to its end. No other child process may end in the meantime.
    static func of(_ command: String, environment: [String: String] = [:]) -> Cost {
        let (before, start) = (processorTimeOfChildren(), ContinuousClock.now)
        let running = RunningProgram("bash", ["-c", command], environment: environment)
        let result = running.finish(within: .seconds(600))
        precondition(result.status == 0, "\(command): status \(result.status): \(result.errors)")
        return Cost(
            wall: (ContinuousClock.now - start) / .seconds(1), processor: processorTimeOfChildren() - before)
    }

    /// The processor time, in seconds, of the processes that `work` starts and that have ended when it returns.
    static func ofChildren(_ work: () -> Void) -> Double {
        let before = processorTimeOfChildren()
        work()
        return processorTimeOfChildren() - before
    }
}
