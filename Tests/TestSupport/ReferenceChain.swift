import Foundation
import PipeCommon
import Synchronization

/// Measures how much the machine itself delays a pipeline: every few milliseconds, a line passes through a chain of
/// `cat` processes, which a loaded machine delays about as much as the pipeline under test.
///
/// A sleeping thread would not show the whole delay: on a loaded machine, each process of a chain waits for its turn.
/// A single chain might not show the delay either, because its processor may be idle while the pipeline waits for
/// another processor. So if `taskset` is installed, there is one chain per processor, up to four.
public final class ReferenceChain: Sendable {
    private static let pause = Duration.milliseconds(5)
    /// The longest time that a trip normally takes on an idle machine.
    private static let usual = Duration.milliseconds(2)

    /// The trips of lines through one chain.
    private final class Chain: Sendable {
        let trips = Mutex<[(start: Deadline.Instant, end: Deadline.Instant?)]>([])
    }

    private let chains: [Chain]

    public init() {
        let canPin = Programs.has("taskset")
        chains = (0..<(canPin ? min(ProcessInfo.processInfo.activeProcessorCount, 4) : 1)).map { _ in Chain()
        }
        for (processor, chain) in chains.enumerated() {
            let pin = canPin ? "taskset -cp \(processor) $$ >/dev/null 2>&1; " : ""
            Thread.detachNewThread { [weak chain] in
                let cats = RunningProgram("sh", ["-c", pin + "cat | cat | cat | cat"])
                while let chain {
                    // The trip starts when the pause should end, so waking up late counts as a delay.
                    let start = Deadline.Instant.now + Self.pause
                    cats.waitUntil(within: Self.pause) { false }
                    chain.trips.withLock { $0 = $0.suffix(1000) + [(start, nil)] }
                    cats.write("x\n")
                    cats.waitUntil { !cats.takeOutput().isEmpty }
                    chain.trips.withLock { $0[$0.count - 1].end = .now }
                }
            }
        }
    }

    /// The delay of the slowest trip that was under way at or after `start`: its time minus the usual time, or zero if
    /// the trip was not slower than usual. If a trip has not ended, its time so far counts.
    public func delay(since start: Deadline.Instant) -> Duration {
        let now = Deadline.Instant.now
        let times = chains.flatMap { chain in
            chain.trips.withLock { $0.filter { $0.end ?? now > start }.map { ($0.end ?? now) - $0.start } }
        }
        return max(.zero, (times.max() ?? .zero) - Self.usual)
    }
}
