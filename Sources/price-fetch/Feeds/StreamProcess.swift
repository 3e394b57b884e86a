import PipeCommon

/// Keeps the command of a stream running: restarts it with back-off when it exits or falls silent.
final class StreamProcess {
    private let command: String
    private let reports: Reports
    private var process: ChildProcess?
    private var backoff = RestartBackoff()
    private var start = Deadline(.now)
    private var silence: StreamSilence
    /// Why the command is not running; nil while it runs.
    private(set) var problem: String?

    init(_ command: String, silence: StreamSilence, reports: Reports) {
        self.command = command
        self.silence = silence
        self.reports = reports
    }

    /// The descriptor of its output, to be polled; nil while it is not running.
    var output: Int32? { process?.output }

    /// When the command is started, or restarted if it prints no price until then.
    var nextDeadline: Deadline { process == nil ? start : silence.deadline }

    func startWhenDue(at now: Deadline.Instant) {
        guard process == nil, start.hasPassed(at: now) else { return }
        backoff.started(at: now)
        silence.restart(at: now)
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
        if !isOpen { restart(because: process.end().words, at: now) }
        return messages
    }

    /// Records that one of the messages had a price.
    func recordPrice(at now: Deadline.Instant) {
        silence.restart(at: now)
    }

    func restartIfSilent(at now: Deadline.Instant) {
        guard let process, silence.isTooLong(at: now) else { return }
        _ = process.end()
        restart(because: "no price within \(silence.limit.milliseconds) ms", at: now)
    }

    func end() {
        _ = process?.end()
        process = nil
    }

    private func restart(because reason: String, at now: Deadline.Instant) {
        process = nil
        scheduleRestart("\(reason); restarting", at: now)
    }

    private func scheduleRestart(_ problem: String, at now: Deadline.Instant) {
        self.problem = problem
        start = backoff.ended(at: now)
        reports.report("restart", of: nil, "stream '\(command)': \(problem)", at: now)
    }
}

/// Decides when a stream without prices is restarted, such as one whose connection is half open: after five
/// times the maximum age of a price. Pure.
struct StreamSilence {
    /// If the deadline is noticed this late, the machine or the whole pipeline was suspended, and the stream
    /// with it.
    private static let suspension = Duration.seconds(1)

    let limit: Duration
    private(set) var deadline = Deadline(.now)

    init(maxAge: Duration) {
        limit = maxAge * 5
    }

    /// Restarts the limit; called at the start of the stream and for every price.
    mutating func restart(at now: Deadline.Instant) {
        deadline = Deadline(in: limit, from: now)
    }

    mutating func isTooLong(at now: Deadline.Instant) -> Bool {
        if Deadline(in: Self.suspension, from: deadline.instant).hasPassed(at: now) { restart(at: now) }
        return deadline.hasPassed(at: now)
    }
}
