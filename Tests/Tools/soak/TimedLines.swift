import Foundation
import PipeCommon
import Synchronization

/// The lines read from a descriptor, each with the time of its arrival. A separate thread reads them, so that the
/// soak's own work does not count as a delay of the lines: inspecting the processes may take half a second.
final class TimedLines: Sendable {
    private let lines = Mutex<[(line: [UInt8], arrival: Timestamp)]>([])

    /// - Parameter descriptor: the read end of a FIFO; closed at the end of the lines, or when this object is released.
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
                    guard case .text(let bytes) = line else { continue }
                    self?.lines.withLock { $0.append((Array(bytes), arrival)) }
                }
                // Before the first line arrives, the other end of the FIFO may not be open yet.
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
}
