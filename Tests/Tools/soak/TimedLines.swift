import Foundation
import PipeCommon
import Synchronization

/// The lines that come from a descriptor, each with the time of its arrival: read in a thread of its own, so that
/// nothing that the soak does meanwhile counts as their delay. Looking at processes may take half a second.
final class TimedLines: Sendable {
    private let lines = Mutex<[(line: [UInt8], arrival: Timestamp)]>([])

    /// - Parameter descriptor: of a pipe; it is closed at its end, or with this.
    init(from descriptor: Int32) {
        Thread.detachNewThread { [weak self] in
            var reader = LineReader()
            var hasBegun = false
            while self != nil {
                var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, 100) > 0 else { continue }
                let isOpen = (try? reader.read(from: descriptor)) ?? true
                let arrival = Timestamp.now()
                while let line = reader.next() {
                    hasBegun = true
                    if case .text(let bytes) = line { self?.add(Array(bytes), arrival) }
                }
                // Before the first line there may be no process at the other end.
                if !isOpen, hasBegun { break }
                if !isOpen { usleep(1000) }
            }
            close(descriptor)
        }
    }

    func take() -> [(line: [UInt8], arrival: Timestamp)] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private func add(_ line: [UInt8], _ arrival: Timestamp) {
        lines.withLock { $0.append((line, arrival)) }
    }
}
