import PipeCommon

/// A source whose process is kept running: after the process exits, it is restarted, with growing pauses if it
/// repeatedly exits soon after its start.
struct SupervisedSource {
    /// The index that identifies the source in events.
    private let index: Int
    private let command: String
    /// The source's name in diagnostics.
    private let name: String
    private let diagnostics: Diagnostics
    private let errors: Int32
    private var process: ChildProcess?
    /// The ticks that have not been sent yet, each with its deadline.
    private var unsent: [(line: [UInt8], until: Deadline)] = []
    private var answers = AnswerChecker()
    private var backoff = RestartBackoff()
    private var restartTime: Deadline?
    /// Why the source is not running, as reported for ticks that it has not answered.
    private var problem = "not started yet"
    private var reported = ChangeFilter()
    /// Whether a warning about an invalid line of the current process was printed. The warning is not repeated, because
    /// a source may write an invalid line with every answer.
    private var hasInvalidOutput = false

    /// - Parameter errors: the descriptor that becomes the source's standard error.
    init(_ index: Int, command: String, name: String, errors: Int32, diagnostics: Diagnostics) {
        (self.index, self.command, self.name) = (index, command, name)
        (self.errors, self.diagnostics) = (errors, diagnostics)
    }

    /// The descriptor to poll for the source's readings; nil while the source is not running.
    var readings: Int32? { process?.output }

    /// When to start the source; nil while the source is running.
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

    /// The descriptor to poll until there is room for the unsent ticks; nil if there are no unsent ticks or the source
    /// is not running.
    var room: Int32? { unsent.isEmpty ? nil : process?.input }

    /// Queues a tick for the next `send`.
    mutating func ask(_ tick: Tick, at now: Deadline.Instant) {
        var line = ByteBuffer()
        tick.append(to: &line)
        line.append(UInt8(ascii: "\n"))
        unsent.append((line.bytes, Deadline(in: tick.timeout ?? .zero, from: now)))
    }

    mutating func postponeDeadlines(by gap: Duration) {
        for index in unsent.indices {
            unsent[index].until = Deadline(in: gap, from: unsent[index].until.instant)
        }
    }

    /// Sends the queued ticks in as few pieces as possible, so that a source that combines requests reads the ticks
    /// together. Each piece is small enough to be written to the pipe as a whole. Ticks for which the pipe has no room
    /// stay in the queue. Ticks at the front of the queue are discarded if their time is up.
    ///
    /// - Parameter events: receives the event `lost` if the ticks cannot be sent because the source is not running, has
    ///   exited or has closed its input.
    mutating func send(at now: Deadline.Instant, _ events: inout [FallbackPolicy.Event]) {
        guard !unsent.isEmpty else { return }
        guard let process else {
            unsent = []
            return events.append(.lost(index, message: problem))
        }
        unsent.removeFirst(unsent.firstIndex { !$0.until.hasPassed(at: now) } ?? unsent.count)
        var sent = 0
        while sent < unsent.count {
            var (piece, next) = ([UInt8](), sent)
            while next < unsent.count, piece.count + unsent[next].line.count <= Int(PIPE_BUF) {
                piece += unsent[next].line
                next += 1
            }
            let result = process.send(piece)
            if result == .closed { return lose(process, &events) }
            if result == .blocked { break }
            sent = next
        }
        unsent.removeFirst(sent)
    }

    /// Reads the available output of the source and appends the resulting events. If the output has ended or is
    /// hopeless (see `AnswerChecker`), ends the process and schedules its restart.
    mutating func readAnswers(_ events: inout [FallbackPolicy.Event]) {
        guard let process else { return }
        let isOpen = process.read()
        while !answers.isHopeless, let line = process.nextLine() {
            if line.isBlank { answers.skip() } else { events.append(check(line)) }
        }
        if answers.isHopeless {
            end(because: "only invalid output")
            events.append(.lost(index, message: problem))
        } else if !isOpen {
            // The last line may lack its line end. It is ignored unless it is a valid reading.
            if let line = process.lastLine(), let reading = try? answers.reading(in: line) {
                events.append(.reading(reading, from: index))
            }
            lose(process, &events)
        }
    }

    private mutating func lose(_ process: ChildProcess, _ events: inout [FallbackPolicy.Event]) {
        let end = process.end()
        let advice = end.words == "exited with status 0" ? ": a source must keep reading ticks" : ""
        // If the user ended the source with a key such as Ctrl-C, this program is about to end too, so it does not
        // report the end of the source.
        scheduleRestart(end.words + advice, isReported: !end.isByKey)
        events.append(.lost(index, message: problem))
    }

    /// Ends the process and schedules its restart.
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

    private mutating func check(_ line: LineReader.Line) -> FallbackPolicy.Event {
        do {
            let reading = try answers.reading(in: line)
            _ = reported.changed(to: nil)
            return .reading(reading, from: index)
        } catch {
            // The reason may differ from line to line, but only the first reason causes a warning.
            if !hasInvalidOutput { warn("invalid output: \(error.reason)") }
            hasInvalidOutput = true
            return .lost(index, message: error.reason)
        }
    }

    private mutating func scheduleRestart(_ reason: String, isReported: Bool = true) {
        process = nil
        unsent = []
        answers = AnswerChecker()
        hasInvalidOutput = false
        restartTime = backoff.ended(at: .now)
        problem = reason
        if isReported, let changed = reported.changed(to: reason) { warn(changed) }
    }

    func warn(_ problem: String) {
        diagnostics.warning("\(name): \(problem)")
    }
}

/// Checks a source's lines against the protocol: each line must be a reading with a tick number.
struct AnswerChecker {
    private static let limit = 100

    private var invalidLines = 0

    /// Whether the source has written more than 100 invalid or blank lines in a row.
    var isHopeless: Bool { invalidLines > Self.limit }

    /// Counts a blank line as invalid. Unlike other invalid lines, a blank line by itself does not make any tick fail.
    mutating func skip() { invalidLines += 1 }

    mutating func reading(in line: LineReader.Line) throws(InvalidInput) -> Reading {
        do {
            let reading = try Self.reading(in: line)
            invalidLines = 0
            return reading
        } catch {
            invalidLines += 1
            throw error
        }
    }

    private static func reading(in line: LineReader.Line) throws(InvalidInput) -> Reading {
        guard case .text(let bytes) = line else { throw InvalidInput("line longer than 64 KiB") }
        let reading = try Reading(line: bytes)
        guard reading.tick != nil else { throw InvalidInput("reading without a tick number") }
        return reading
    }
}
