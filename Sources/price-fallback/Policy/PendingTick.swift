import PipeCommon

/// A tick without its answer, and the answer of each source so far. Pure.
struct PendingTick {
    typealias Instant = Deadline.Instant

    enum Answer {
        case unasked
        case awaited
        case quote(Opinion, after: [Failure])
        case failed([Failure])
    }

    let tick: Tick
    let subject: Subject
    private let limits: TimeLimits
    private var start: Instant
    /// The failure to report for a primary that is only probed; nil when the primary is waited for.
    let probing: Failure?
    private(set) var answers: [Answer]
    /// Whether sources contradict each other, so that all of them are asked.
    var isDisputed = false
    /// The answer to the tick, once it is decided.
    var reading: Reading?
    /// Whether the answer has been taken. Sources that were asked may still answer, or time out.
    private(set) var isAnswered = false

    /// A tick whose primary, the first of its sources, is being asked.
    init(_ tick: Tick, of sources: Int, limits: TimeLimits, probing: Failure? = nil, at now: Instant) {
        self.tick = tick
        subject = tick.subject
        self.limits = probing == nil ? limits : limits.hedged(after: .zero)
        self.probing = probing
        start = now
        answers = [.awaited] + Array(repeating: .unasked, count: sources - 1)
    }

    // MARK: state

    var isFinished: Bool { isAnswered && !isAnySourceAwaited }

    /// Whether the tick is disputed, and sources are still to be asked.
    var needsOthers: Bool { isDisputed && reading == nil && hasUnaskedSource }

    func awaits(_ source: Int) -> Bool {
        if case .awaited = answers[source] { true } else { false }
    }

    /// Two bursts of candles that follow each other may have the same numbers, so the candle must be the same as well.
    func isAnswered(by reading: Reading) -> Bool {
        guard reading.tick == tick.number, reading.subject == subject else { return false }
        return tick.candle == nil || reading.at == nil || reading.at == tick.at
    }

    func timeLeft(at now: Instant) -> Duration {
        max(.milliseconds(1), limits.budget - (now - start))
    }

    func deadline(_ limit: TimeLimits.Kind) -> Deadline {
        switch limit {
        case .hedge: Deadline(in: limits.hedge, from: start)
        case .timeout: Deadline(in: limits.timeout, from: start)
        case .budget: Deadline(in: limits.budget, from: start)
        }
    }

    /// Whether something happens when a limit is reached. If not, then never again.
    func needs(_ limit: TimeLimits.Kind) -> Bool {
        switch limit {
        case .hedge: reading == nil && hasUnaskedSource
        case .timeout: awaits(0)
        case .budget: true
        }
    }

    var isAnySourceAwaited: Bool { answers.indices.contains(where: awaits) }

    var hasUnaskedSource: Bool {
        answers.contains { if case .unasked = $0 { true } else { false } }
    }

    // MARK: events

    /// - Parameter opinion: the reading's new quote, if it has one.
    mutating func record(_ reading: Reading, _ opinion: Opinion?, from source: Int) {
        if let opinion {
            answers[source] = .quote(opinion, after: reading.failures.lastOfSource)
        } else if reading.failures.isEmpty {
            // The last known quote of another pipeline does not answer this tick.
            record(
                Failure(source: reading.source ?? "", kind: .invalidData, message: "no new quote"), of: source
            )
        } else {
            answers[source] = .failed(reading.failures.lastOfSource)
        }
    }

    mutating func record(_ failure: Failure, of source: Int) {
        answers[source] = .failed([failure])
    }

    mutating func postponeDeadlines(by gap: Duration) {
        start = start + gap
    }

    /// Fails the sources whose time is up.
    ///
    /// - Returns: these sources.
    mutating func timeOut(at now: Instant, names: [String]) -> [Int] {
        let elapsed = now - start
        guard elapsed >= limits.timeout else { return [] }
        let primary = timeOut(0..<1, after: limits.timeout, names)
        guard elapsed >= limits.budget else { return primary }
        return primary + timeOut(answers.indices, after: limits.budget, names)
    }

    /// Counts the fallbacks as asked, once the primary has failed, the hedge has passed, or the tick is disputed.
    ///
    /// - Returns: these fallbacks.
    mutating func startFallbacks(at now: Instant) -> [Int] {
        let elapsed = now - start
        guard elapsed < limits.budget, elapsed >= limits.hedge || !awaits(0) else { return [] }
        if case .quote = answers[0], !isDisputed { return [] }
        let started = answers.indices.filter { if case .unasked = answers[$0] { true } else { false } }
        for source in started { answers[source] = .awaited }
        return started
    }

    func isFinal(at now: Instant) -> Bool { now - start >= limits.budget }

    /// The reading, once it is decided.
    mutating func takeReading() -> Reading? {
        isAnswered = reading != nil
        return reading
    }

    private mutating func timeOut(_ sources: Range<Int>, after limit: Duration, _ names: [String]) -> [Int] {
        let late = sources.filter(awaits)
        for source in late {
            let message = "no answer within \(limit.milliseconds) ms"
            record(Failure(source: names[source], kind: .timeout, message: message), of: source)
        }
        return late
    }
}
