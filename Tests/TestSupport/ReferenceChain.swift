import Foundation
import PipeCommon
import Synchronization

/// Measures how much the machine itself delays a pipeline: every few milliseconds a line goes through a chain of `cat`
/// processes, which a loaded machine delays as much as the pipeline under test.
///
/// A sleeping thread would not show that delay: on a loaded machine, each process of a chain waits for its turn. A
/// single chain would not show it either: one processor may be idle while another is busy, and each process waits for
/// its own processor. So with `taskset`, there is one chain per processor, up to four.
public final class ReferenceChain: Sendable {
    private struct Trip {
        var start: Deadline.Instant
        var end: Deadline.Instant?
    }

    private static let pause = Duration.milliseconds(5)
    /// The longest normal time of a trip on an idle machine.
    private static let usual = Duration.milliseconds(2)

    private let chains: [Chain]

    public init() {
        let processors = Programs.has("taskset") ? min(ProcessInfo.processInfo.activeProcessorCount, 4) : 1
        let chains = (0..<processors).map { _ in Chain() }
        self.chains = chains
        for (processor, chain) in chains.enumerated() {
            let pin = Programs.has("taskset") ? "taskset -cp \(processor) $$ >/dev/null 2>&1; " : ""
            Thread.detachNewThread { [weak chain] in
                let cats = RunningProgram("sh", ["-c", pin + "cat | cat | cat | cat"])
                while let chain { chain.makeTrip(through: cats) }
            }
        }
    }

    /// How much longer than usual the longest trip took, of those under way at or after `start`.
    public func delay(since start: Deadline.Instant) -> Duration {
        chains.map { $0.longestTrip(since: start) - Self.usual }.max().map { max(.zero, $0) } ?? .zero
    }

    private final class Chain: Sendable {
        private let trips = Mutex<[Trip]>([])

        func longestTrip(since start: Deadline.Instant) -> Duration {
            let now = Deadline.Instant.now
            return trips.withLock { trips in
                trips.filter { $0.end ?? now > start }.map { ($0.end ?? now) - $0.start }.max()
                    ?? .zero
            }
        }

        func makeTrip(through cats: RunningProgram) {
            // The trip starts when the pause should end, so waking up late counts as a delay.
            let start = Deadline.Instant.now + ReferenceChain.pause
            cats.waitUntil(within: ReferenceChain.pause) { false }
            trips.withLock { trips in
                trips.append(Trip(start: start))
                if trips.count > 2000 { trips.removeFirst(1000) }
            }
            cats.write("x\n")
            cats.waitUntil(within: .seconds(30)) { !cats.takeOutput().isEmpty }
            trips.withLock { $0[$0.count - 1].end = .now }
        }
    }
}
