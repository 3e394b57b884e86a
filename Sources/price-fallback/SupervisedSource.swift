import PipeCommon

/// A source whose process is kept running: started when it is due, and restarted with back-off after its end.
struct SupervisedSource {
    enum Output {
        case reading(Reading)
        /// The source has ended or broken the protocol.
        case lost(message: String)
    }

    /// More ticks than a pipe takes in one piece, but few to prepare if it takes none.
    private static let mostAtOnce = 64

    private let command: String
    /// What it is called in diagnostics.
    private let name: String
    private let diagnostics: Diagnostics
    private let errors: Int32
    private var process: ChildProcess?
    /// The ticks for which its pipe has no room yet, each with the end of its time.
    private var unsent: [(tick: [UInt8], until: Deadline)] = []
    private var answers = AnswerChecker()
    private var backoff = RestartBackoff()
    private var restartTime: Deadline?
    /// Why it cannot be asked while it does not run.
    private var problem = "not started yet"
    private var reported = ChangeFilter()
    /// Whether this process has written an invalid line. A source may write one with each answer.
    private var hasInvalidOutput = false

    /// - Parameter errors: the descriptor that becomes its standard error.
    init(command: String, name: String, errors: Int32, diagnostics: Diagnostics) {
        self.command = command
        self.name = name
        self.errors = errors
        self.diagnostics = diagnostics
    }

    /// The descriptor to poll for its readings; nil while it does not run.
    var readings: Int32? { process?.output }

    /// When it is to be started; nil while it runs.
    var nextStart: Deadline? { process == nil ? restartTime ?? Deadline(.now) : nil }

    mutating func startIfDue(at now: Deadline.Instant) {
        guard process == nil, restartTime?.hasPassed(at: now) ?? true else { return }
        backoff.started(at: now)
        do throws(SystemError) {
            process = try ChildProcess(command: command, errors: errors)
        } catch {
            scheduleRestart("cannot be started: \(systemMessage(error.number))")
        }
    }

    /// The descriptor to poll for room for more ticks; nil if there are none.
    var room: Int32? { unsent.isEmpty ? nil : process?.input }

    /// Asks it, together with other ticks that are asked now, at the next `send`.
    mutating func ask(_ tick: Tick, at now: Deadline.Instant) {
        unsent.append((tick.line, Deadline(in: tick.timeout ?? .zero, from: now)))
    }

    /// Sends what it is asked, so that a source that can share requests reads it together. What its pipe has no room for
    /// is sent later, unless its time is up by then.
    ///
    /// - Returns: why it is lost, if it has ended.
    mutating func send(at now: Deadline.Instant) -> String? {
        guard !unsent.isEmpty else { return nil }
        guard let process else {
            unsent = []
            return problem
        }
        unsent.removeFirst(unsent.firstIndex { !$0.until.hasPassed(at: now) } ?? unsent.count)
        var sent = 0
        defer { unsent.removeFirst(min(sent, unsent.count)) }
        while sent < unsent.count {
            let some = unsent[sent...].prefix(Self.mostAtOnce).map(\.tick)
            let results = process.send(some)
            if results.contains(.closed) {
                scheduleRestart(process.end())
                return problem
            }
            let count = results.count { $0 == .sent }
            sent += count
            if count < some.count { break }
        }
        return nil
    }

    /// What it has written since the last call.
    mutating func readAnswers() -> [Output] {
        guard let process else { return [] }
        let isOpen = process.read()
        var output: [Output] = []
        while !answers.isHopeless, let line = process.nextLine() { output.append(check(line)) }
        if answers.isHopeless {
            end(because: "only invalid output")
            output.append(.lost(message: problem))
        } else if !isOpen {
            // The last line may lack its line end. If it is incomplete, it is not an answer.
            if let line = process.lastLine(), let reading = try? answers.reading(in: line) {
                output.append(.reading(reading))
            }
            scheduleRestart(process.end())
            output.append(.lost(message: problem))
        }
        return output
    }

    /// Ends the process, which is started again when that is due.
    mutating func end(because reason: String) {
        guard process != nil else { return }
        end()
        scheduleRestart("\(reason); restarting")
    }

    mutating func endInput() {
        process?.closeInput()
    }

    mutating func end() {
        _ = process?.end()
        process = nil
    }

    private mutating func check(_ line: LineReader.Line) -> Output {
        do {
            let reading = try answers.reading(in: line)
            _ = reported.changed(to: nil)
            return .reading(reading)
        } catch {
            // The reason may differ from line to line, but only the first one is reported.
            if !hasInvalidOutput { warn("invalid output: \(error.reason)") }
            hasInvalidOutput = true
            return .lost(message: error.reason)
        }
    }

    private mutating func scheduleRestart(_ reason: String) {
        process = nil
        unsent = []
        answers = AnswerChecker()
        hasInvalidOutput = false
        restartTime = backoff.ended(at: .now)
        problem = reason
        if let changed = reported.changed(to: reason) { warn(changed) }
    }

    private func warn(_ problem: String) {
        diagnostics.warning("\(name): \(problem)")
    }
}
