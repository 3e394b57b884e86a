import PipeCommon

/// Answers ticks with the newest price in a stream: the output of a command that prints one JSON message per line.
/// If a tick is read before the first price, or while the newest price is too old, the tick waits for a new price until
/// its time limit.
final class StreamFeed: PriceFeed {
    /// Messages that are read within this time after a suspension was detected are ignored, because they may have been
    /// waiting since before the suspension.
    private static let settling = Duration.seconds(1)

    let name: String
    private let process: StreamProcess
    private var turns = TurnWatch(at: .now)
    private var settled = Deadline(.now)
    private var price: StreamedPrice
    private var waiting: [Question] = []

    init(_ command: String, name: String, price: StreamedPrice, reports: Reports) {
        self.name = name
        self.price = price
        process = StreamProcess(command, silence: StreamSilence(maxAge: price.maxAge), reports: reports)
    }

    func ask(_ question: Question) {
        waiting.append(question)
    }

    func giveUp(_ question: Question) -> FetchError {
        waiting.removeAll { $0.id == question.id }
        return FetchError(.timeout, process.problem ?? "no new price in the stream")
    }

    func end() {
        process.end()
    }

    var watched: [pollfd] {
        process.output.map { [pollfd($0, POLLIN)] } ?? []
    }

    var nextDeadline: Deadline? { min(process.nextDeadline, turns.deadline) }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        if turns.wasSuspended(at: now) {
            settled = Deadline(in: Self.settling, from: now)
            process.wasSuspended(until: settled.instant)
        }
        if ready.contains(where: \.isReady) {
            let messages = process.read(at: now)
            if settled.hasPassed(at: now), price.receive(messages, received: .now(), at: now) {
                process.recordPrice(at: now)
            }
        }
        process.restartIfSilent(at: now)
        process.startWhenDue(at: now)
        return answerWaiting(at: now)
    }

    private func answerWaiting(at now: Deadline.Instant) -> [Answer] {
        var answers: [Answer] = []
        waiting.removeAll { question in
            guard let quote = price.quote(in: question.subject.symbol.currency, at: now) else { return false }
            answers.append(Answer(id: question.id, quote: .success(quote)))
            return true
        }
        return answers
    }
}

/// The newest price in a stream of messages, and how old it may be. Pure.
struct StreamedPrice {
    private let pointer: JSONPointer
    let maxAge: Duration
    private var newest: (price: Price, timestamp: Timestamp, at: Deadline.Instant)?

    init(at pointer: JSONPointer, maxAge: Duration) {
        self.pointer = pointer
        self.maxAge = maxAge
    }

    /// Keeps the last price in the given messages; messages without a price are ignored.
    ///
    /// - Returns: whether any message contained a price.
    mutating func receive(_ messages: [[UInt8]], received: Timestamp, at now: Deadline.Instant) -> Bool {
        for message in messages.reversed() {
            guard let price = try? JSON(parsing: message).price(pointer, as: .either) else { continue }
            newest = (price, received, now)
            return true
        }
        return false
    }

    /// - Returns: nil if there is no price, or if the newest price has reached the maximum age.
    func quote(in currency: Currency, at now: Deadline.Instant) -> Quote? {
        guard let newest, now - newest.at < maxAge else { return nil }
        return Quote(price: newest.price, currency: currency, timestamp: newest.timestamp)
    }
}

/// Keeps the command of a stream running. Restarts the command when its output ends or when it has not printed a price
/// for too long. If the command keeps ending within a few seconds, the time between its starts grows.
final class StreamProcess {
    private let command: String
    private let reports: Reports
    private var process: ChildProcess?
    private var backoff = RestartBackoff()
    private var start = Deadline(.now)
    private var silence: StreamSilence
    /// Why the command is not running; nil while the command runs and before its first start.
    private(set) var problem: String?

    init(_ command: String, silence: StreamSilence, reports: Reports) {
        self.command = command
        self.silence = silence
        self.reports = reports
    }

    /// The descriptor of the command's output, to be polled; nil while the command is not running.
    var output: Int32? { process?.output }

    /// When the command must be started or, if it is running, when it must be restarted unless it prints a price first.
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

    /// Reads output and returns the complete messages in it, except lines that are too long. If the output has ended,
    /// schedules a restart.
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

    /// Records that one of the messages contained a price.
    func recordPrice(at now: Deadline.Instant) {
        silence.restart(at: now)
    }

    /// Restarts the time limit for silence at `instant`, because messages that are read before then do not count.
    func wasSuspended(until instant: Deadline.Instant) {
        silence.restart(at: instant)
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
        reports.report(.restart, of: nil, "stream '\(command)': \(problem)", at: now)
    }
}

/// Decides when to restart a command that prints no prices, for example because the command's connection is half open.
/// The time limit is five times the maximum age of a price. Pure.
struct StreamSilence {
    let limit: Duration
    private(set) var deadline = Deadline(.now)

    init(maxAge: Duration) {
        limit = maxAge * 5
    }

    /// Restarts the time limit. Called when the command is started, when a price is recorded, and when a suspension is
    /// detected.
    mutating func restart(at now: Deadline.Instant) {
        deadline = Deadline(in: limit, from: now)
    }

    func isTooLong(at now: Deadline.Instant) -> Bool { deadline.hasPassed(at: now) }
}
