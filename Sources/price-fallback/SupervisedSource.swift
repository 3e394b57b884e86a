import PipeCommon

/// A source that is kept running: started, and started again with back-off when it ends.
struct SupervisedSource {
    /// So many in a row, and the source is not what it should be.
    private static let mostBadLines = 100

    private let command: String
    private let diagnostics: Diagnostics
    private var process: ChildProcess?
    private let json = JSONParser()
    private var backoff = RestartBackoff()
    private var start: Deadline?
    /// Why it can't be asked now.
    private var trouble = "not started yet"
    private var said = ChangeFilter()
    private var badLines = 0

    init(command: String, diagnostics: Diagnostics) {
        self.command = command
        self.diagnostics = diagnostics
    }

    /// Where its readings come from, to be polled; nil while it does not run.
    var readings: Int32? { process?.output }

    /// When it wants to be started; nil while it runs.
    var nextStart: Deadline? { process == nil ? start ?? Deadline(.now) : nil }

    mutating func startWhenDue(at now: Deadline.Instant) {
        guard process == nil, start?.hasPassed(at: now) ?? true else { return }
        backoff.started(at: now)
        do throws(SystemError) {
            process = try ChildProcess(command: command)
        } catch {
            rest("cannot be started: \(systemMessage(error.number))")
        }
    }

    /// - Returns: why the source can't be asked; nil when it has the tick.
    mutating func ask(_ tick: Tick) -> String? {
        guard let process else { return trouble }
        switch process.send(tick.line) {
        case .sent: return nil
        case .blocked: return "does not read its ticks"
        case .closed:
            close(process)
            return trouble
        }
    }

    /// What it has said since the last call: readings, and for a bad line or at its end why it is lost.
    mutating func hear() -> [Result<Reading, InvalidInput>] {
        guard let process else { return [] }
        let isOpen = process.read()
        var answers: [Result<Reading, InvalidInput>] = []
        while let line = process.nextLine() {
            answers.append(Result { () throws(InvalidInput) in try reading(line) })
        }
        let bad = answers.reversed().prefix { $0.trouble != nil }.count
        badLines = bad == answers.count ? badLines + bad : bad
        if badLines > Self.mostBadLines {
            end("writes nothing but bad lines; ended, to be started anew")
            return [.failure(InvalidInput(trouble))]
        }
        for answer in answers {
            // What exactly is wrong differs from line to line, and is told of the first.
            if said.changed(to: answer.trouble == nil ? nil : "broke the protocol") != nil {
                warn(answer.trouble!)
            }
        }
        if !isOpen {
            // A last line may lack its end; half a line is none.
            if let line = process.lastLine(), let reading = try? reading(line) {
                answers.append(.success(reading))
            }
            close(process)
            answers.append(.failure(InvalidInput(trouble)))
        }
        return answers
    }

    /// Ends a source that hangs; it is started anew when it is due.
    ///
    /// - Returns: why it can't be asked until then.
    mutating func restart() -> String {
        end("hangs: no answer to \(FallbackPolicy.mostSilence) ticks in a row; ended, to be started anew")
        return trouble
    }

    mutating func endInput() {
        process?.closeInput()
    }

    mutating func end() {
        _ = process?.end()
        process = nil
    }

    private mutating func close(_ process: ChildProcess) {
        rest(process.end())
        self.process = nil
    }

    private mutating func end(_ why: String) {
        guard process != nil else { return }
        end()
        rest(why)
    }

    private mutating func rest(_ why: String) {
        badLines = 0
        start = backoff.ended(at: .now)
        trouble = why
        if let news = said.changed(to: why) { warn(news) }
    }

    private func warn(_ trouble: String) {
        diagnostics.warning("source '\(command)': \(trouble)")
    }

    private mutating func reading(_ line: LineReader.Line) throws(InvalidInput) -> Reading {
        guard case .text(let bytes) = line else { throw InvalidInput("a line longer than 64 KiB") }
        let reading = try Reading(line: bytes, by: json)
        guard reading.tick != nil else { throw InvalidInput("an answer without its tick's number") }
        return reading
    }
}

extension Result<Reading, InvalidInput> {
    fileprivate var trouble: String? {
        if case .failure(let refusal) = self { refusal.reason } else { nil }
    }
}
