import Foundation
import PipeCommon
import Synchronization

/// When the machine itself stood still: a thread that wants to wake up each 5 ms, and notes when it could not.
final class MachineStalls: Sendable {
    private static let beat = Duration.milliseconds(5)

    private let noted = Mutex<[(at: ContinuousClock.Instant, length: Duration)]>([])

    init() {
        Thread.detachNewThread { [weak self] in
            while self != nil {
                let start = ContinuousClock.Instant.now
                usleep(UInt32(Self.beat.milliseconds * 1000))
                let late = start.duration(to: .now) - Self.beat
                if late > .milliseconds(5) { self?.note(late) }
            }
        }
    }

    /// How long it stood still altogether.
    func total(within time: Duration) -> Duration {
        let begin = ContinuousClock.Instant.now - time
        return noted.withLock { $0.filter { $0.at > begin }.map(\.length).reduce(.zero, +) }
    }

    private func note(_ length: Duration) {
        noted.withLock { noted in
            noted.append((.now, length))
            if noted.count > 1000 { noted.removeFirst(500) }
        }
    }
}
