import PipeCommon

/// The command of a stream: kept running, and restarted with back-off when it exits.
final class StreamProcess {
    private let command: String
    private let warn: (String) -> Void
    private var process: ChildProcess?
    private var backoff = RestartBackoff()
    private var start = Deadline(.now)
    private var reported = ChangeFilter()
    /// Why it gives no messages now; nil while it runs.
    private(set) var problem: String?

    init(_ command: String, warn: @escaping (String) -> Void) {
        self.command = command
        self.warn = warn
    }

    /// Where its messages come from, to be polled; nil while it does not run.
    var output: Int32? { process?.output }

    /// When it is to be started; nil while it runs.
    var nextStart: Deadline? { process == nil ? start : nil }

    func startWhenDue(at now: Deadline.Instant) {
        guard process == nil, start.hasPassed(at: now) else { return }
        backoff.started(at: now)
        do throws(SystemError) {
            process = try ChildProcess(command: command)
            problem = nil
        } catch {
            scheduleRestart("cannot be started: \(systemMessage(error.number))", at: now)
        }
    }

    /// The messages that can be read without waiting.
    func read(at now: Deadline.Instant) -> [[UInt8]] {
        guard let process else { return [] }
        let isOpen = process.read()
        var messages: [[UInt8]] = []
        while let line = process.nextLine() {
            if case .text(let bytes) = line { messages.append(Array(bytes)) }
        }
        if !isOpen {
            self.process = nil
            if backoff.wasHealthy(at: now) { reported = ChangeFilter() }
            scheduleRestart("\(process.end()); restarting", at: now)
        }
        return messages
    }

    func end() {
        _ = process?.end()
        process = nil
    }

    private func scheduleRestart(_ problem: String, at now: Deadline.Instant) {
        self.problem = problem
        start = backoff.ended(at: now)
        if let problem = reported.changed(to: problem) { warn("stream '\(command)': \(problem)") }
    }
}
