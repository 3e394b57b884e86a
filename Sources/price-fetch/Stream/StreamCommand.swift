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

    /// Ends the command when a signal ends this program. To be called before there is a second thread.
    func endWithProgram() {
        var signals = sigset_t()
        sigemptyset(&signals)
        // Who started us with a signal ignored (nohup) wants it ignored.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Thread.detachNewThread { [self, signals] in
            var (signals, number) = (signals, Int32(0))
            sigwait(&signals, &number)
            end()
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
    }

    /// - Parameter hear: told the lines that have come, some at a time.
    func start(_ hear: @escaping @Sendable ([[UInt8]]) -> Void) {
        Thread.detachNewThread { [self] in
            var backoff = RestartBackoff()
            var said = ChangeFilter()
            while !state.withLock({ $0.hasEnded }) {
                let start = Deadline.Instant.now
                backoff.started(at: start)
                guard let trouble = run(hear) else { return }
                if .now - start >= RestartBackoff.healthy { said = ChangeFilter() }
                state.withLock { $0.trouble = trouble }
                if let news = said.changed(to: trouble) {
                    diagnostics.warning("stream '\(command)': \(news)")
                }
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
    /// - Returns: how it has ended; nil when all has ended.
    private func run(_ hear: ([[UInt8]]) -> Void) -> String? {
        do throws(SystemError) {
            // Nobody ends all between the start and its note.
            let process = try state.withLock { (state) throws(SystemError) -> ChildProcess? in
                guard !state.hasEnded else { return nil }
                let process = try ChildProcess(command: command)
                (state.process, state.trouble) = (process.id, nil)
                return process
            }
            guard let process else { return nil }
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
            let ending = process.end()
            // What `end` has killed has not failed.
            return state.withLock { $0.hasEnded } ? nil : "\(ending), to be started anew"
        } catch {
            return "cannot be started: \(systemMessage(error.number))"
        }
    }
}

private func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
    #else
        let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
