import PipeCommon

/// A tick, each source's answer so far, and the reading that answers the tick, once it is decided. Pure.
struct PendingTick {
    typealias Instant = Deadline.Instant

    enum Answer {
        case unasked
        case awaited
        case quote(Opinion, after: [Failure])
        case failed([Failure])
    }

    let tick: Tick
    /// The index of the tick's subject.
    let subject: Int
    private let limits: TimeLimits
    private var start: Instant
    /// The failure to report for a primary that is only probed; nil when the primary is waited for.
    let probing: Failure?
    private(set) var answers: [Answer]
    /// Whether sources contradict each other, so that all of them are asked.
    var isDisputed = false
    var reading: Reading?
    /// Whether the reading has been written. Sources that were asked may still answer or time out.
    var isAnswered = false

    /// A tick whose primary, the first of its sources, is being asked.
    init(
        _ tick: Tick, _ subject: Int, of sources: Int, limits: TimeLimits, probing: Failure?, at now: Instant
    ) {
        (self.tick, self.subject, self.probing, start) = (tick, subject, probing, now)
        self.limits = probing == nil ? limits : limits.hedged(after: .zero)
        answers = Array(repeating: .unasked, count: sources)
        answers[0] = .awaited
    }

    // MARK: state

    var isFinished: Bool { isAnswered && !answers.contains(where: \.isAwaited) }

    /// Whether the tick is disputed, and some sources have not been asked yet.
    var needsOthers: Bool { isDisputed && reading == nil && answers.contains(where: \.isUnasked) }

    /// Whether to ask the other sources: the primary has failed, the hedge has passed, or the tick is
    /// disputed.
    func needsFallbacks(at now: Instant) -> Bool {
        let elapsed = now - start
        guard elapsed < limits.budget, elapsed >= limits.hedge || !answers[0].isAwaited else { return false }
        if case .quote = answers[0] { return isDisputed }
        return true
    }

    func awaits(_ source: Int) -> Bool { answers[source].isAwaited }

    func isUnasked(_ source: Int) -> Bool { answers[source].isUnasked }

    /// Whether a reading with this tick's number answers it. Consecutive bursts of candles may use the same
    /// numbers, so the candle's time must match as well.
    func isAnswered(by reading: Reading) -> Bool {
        tick.candle == nil || reading.at == nil || reading.at == tick.at
    }

    func timeLeft(at now: Instant) -> Duration {
        max(.milliseconds(1), limits.budget - (now - start))
    }

    func deadline(_ limit: TimeLimits.Kind) -> Deadline {
        Deadline(in: limits[limit], from: start)
    }

    /// Whether reaching a limit has an effect. Once it has none, it never will again.
    func needs(_ limit: TimeLimits.Kind) -> Bool {
        switch limit {
        case .hedge: reading == nil && answers.contains(where: \.isUnasked)
        case .timeout: answers[0].isAwaited
        case .budget: true
        }
    }

    /// The sources that have not answered in time, each with its limit.
    func lateSources(at now: Instant) -> [(source: Int, limit: Duration)] {
        let elapsed = now - start
        return answers.indices.filter(awaits).compactMap { source in
            if source == 0, elapsed >= limits.timeout { return (source, limits.timeout) }
            return elapsed >= limits.budget ? (source, limits.budget) : nil
        }
    }

    // MARK: events

    mutating func setAwaited(_ source: Int) {
        answers[source] = .awaited
    }

    /// - Parameter opinion: the reading's new quote, if it has one.
    mutating func record(_ reading: Reading, _ opinion: Opinion?, from source: Int) {
        if let opinion {
            answers[source] = .quote(opinion, after: reading.failures.lastOfSource)
        } else if reading.failures.isEmpty {
            // The reading has only another pipeline's last known quote, which does not answer this tick.
            let name = reading.source ?? ""
            record(Failure(source: name, kind: .invalidData, message: "no new quote"), of: source)
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

    func isFinal(at now: Instant) -> Bool { now - start >= limits.budget }
}

extension PendingTick.Answer {
    var isUnasked: Bool { if case .unasked = self { true } else { false } }
    var isAwaited: Bool { if case .awaited = self { true } else { false } }
    var isOpen: Bool { isUnasked || isAwaited }
}

/// How many failures a reading lists at most. No source can make the line too long for another source's
/// quote: 48 failures of maximum length leave room for it in the 64 KiB that the next stage accepts.
extension [Failure] {
    /// The last failures of one source, for the next stage.
    var lastOfSource: [Failure] { suffix(8).map(\.withoutRetryTime) }

    /// The last failures of all sources of a tick.
    var lastOfTick: [Failure] { count <= 48 ? self : Array(suffix(48)) }
}

extension Failure {
    /// The failure for the next stage: the retry time is only for price-fallback.
    var withoutRetryTime: Failure {
        retry == nil ? self : Failure(source: source, kind: kind, message: message)
    }
}
