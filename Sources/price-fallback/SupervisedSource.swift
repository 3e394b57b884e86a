import PipeCommon

/// A source whose process is kept running: started when it is due, and restarted with back-off after its end.
struct SupervisedSource {
    enum Output {
        case reading(Reading)
        /// The source has ended or broken the protocol.
        case lost(message: String)
    }

    enum SendResult {
        case sent
        /// The source has left so much unread that the tick does not fit.
        case blocked
        case closed(message: String)
    }

    private let command: String
    /// What it is called in diagnostics.
    private let name: String
    private let diagnostics: Diagnostics
    private let errors: Int32
    private var process: ChildProcess?
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

    /// Sends ticks together, so that a source that can share requests reads them together.
    ///
    /// - Returns: what became of each tick.
    mutating func ask(_ ticks: [Tick]) -> [SendResult] {
        let results = process?.send(ticks.map(\.line)) ?? ticks.map { _ in .closed }
        if let process, results.contains(.closed) { scheduleRestart(process.end()) }
        return results.map { result in
            switch result {
            case .sent: .sent
            case .blocked: .blocked
            case .closed: .closed(message: problem)
            }
        }
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
