import Foundation
import PipeCommon
import Synchronization

/// A command that is kept running and listened to, on a thread of its own; started again with back-off when it ends.
final class StreamCommand: Sendable {
    private struct State {
        var process: pid_t?
        var hasEnded = false
        /// Why nothing can come from it now.
        var trouble: String?
    }

    private let command: String
    private let diagnostics: Diagnostics
    private let state = Mutex(State())

    init(_ command: String, _ diagnostics: Diagnostics) {
        self.command = command
        self.diagnostics = diagnostics
    }

    /// Why nothing can come from it now; nil while it runs.
    var trouble: String? { state.withLock { $0.trouble } }

    /// - Parameter hear: told the lines that have come, some at a time.
    func start(_ hear: @escaping @Sendable ([[UInt8]]) -> Void) {
        Thread.detachNewThread { [self] in
            var backoff = Backoff()
            var said = SaidOnChange()
            while !state.withLock({ $0.hasEnded }) {
                backoff.started(at: .now)
                let trouble = run(hear)
                state.withLock { $0.trouble = trouble }
                if let news = said.news(trouble) { diagnostics.warning("stream '\(command)': \(news)") }
                Thread.sleep(forTimeInterval: backoff.ended(at: .now).remaining().seconds)
            }
        }
    }

    /// Ends the command for good.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            if let process = state.process { killTree(process) }
        }
    }

    /// One run, to its end.
    ///
    /// - Returns: how it has ended.
    private func run(_ hear: ([[UInt8]]) -> Void) -> String {
        do throws(SystemError) {
            let process = try ShellProcess(command: command)
            let id = process.id
            state.withLock { ($0.process, $0.trouble) = (id, nil) }
            var isOpen = true
            while isOpen {
                isOpen = process.read()
                var messages: [[UInt8]] = []
                while let line = process.nextLine() {
                    if case .text(let bytes) = line { messages.append(Array(bytes)) }
                }
                hear(messages)
            }
            // Before it is reaped: after that its number may be another's.
            state.withLock { $0.process = nil }
            return "\(process.end()), to be started anew"
        } catch {
            return "cannot be started: \(systemMessage(error.number))"
        }
    }
}
