import PipeCommon

/// One tick that waits for its reading, and what each source has said to it so far: pure.
struct PendingTick {
    private enum Answer {
        case unasked
        case awaited
        case quote(Quote, from: String, after: [Failure])
        case failed([Failure])
    }

    typealias Instant = Deadline.Instant

    let tick: Tick
    private let patience: Patience
    private let start: Instant
    private var answers: [Answer]
    /// What goes out, once it is known.
    private(set) var reading: Reading?

    /// A tick whose primary, the first of its sources, is being asked.
    init(_ tick: Tick, of sources: Int, patience: Patience, at now: Instant) {
        self.tick = tick
        self.patience = patience
        start = now
        answers = [.awaited] + Array(repeating: .unasked, count: sources - 1)
    }

    var symbol: Symbol { tick.symbol ?? .bitcoin }

    func isAnswered(by reading: Reading) -> Bool {
        reading.tick == tick.number && reading.symbol ?? .bitcoin == symbol
    }

    func awaits(_ source: Int) -> Bool {
        if case .awaited = answers[source] { reading == nil } else { false }
    }

    mutating func note(_ reading: Reading, from source: Int) {
        if reading.isFresh, let quote = reading.quote, let name = reading.source {
            answers[source] = .quote(quote, from: name, after: reading.failures)
        } else if reading.failures.isEmpty {
            // Another pipeline's last known quote is no quote for this tick.
            note(
                Failure(source: reading.source ?? "", kind: .invalidData, message: "no new quote"), of: source
            )
        } else {
            answers[source] = .failed(reading.failures)
        }
    }

    mutating func note(_ failure: Failure, of source: Int) {
        answers[source] = .failed([failure])
    }

    /// Lets the time run to `now`: who is late has failed, and who has to be asked now is returned, each with
    /// what is left to answer.
    mutating func advance(to now: Instant, names: [String]) -> [(source: Int, timeout: Duration)] {
        guard reading == nil else { return [] }
        let elapsed = now - start
        if elapsed >= patience.timeout { expire(0..<1, patience.timeout, names) }
        if elapsed >= patience.budget { expire(answers.indices, patience.budget, names) }
        let asked = elapsed < patience.budget ? askFallbacks(after: elapsed) : []
        reading = verdict(isFinal: elapsed >= patience.budget)
        return asked
    }

    /// When `advance` has something to do next.
    var nextDeadline: Deadline? {
        guard reading == nil else { return nil }
        let waits = [
            hasUnasked ? patience.hedge : patience.budget, awaits(0) ? patience.timeout : patience.budget,
        ]
        return Deadline(in: waits.min()!, from: start)
    }

    private var hasUnasked: Bool {
        answers.contains { if case .unasked = $0 { true } else { false } }
    }

    private mutating func expire(_ sources: Range<Int>, _ limit: Duration, _ names: [String]) {
        for source in sources where awaits(source) {
            let message = "no answer within \(limit.milliseconds) ms"
            note(Failure(source: names[source], kind: .timeout, message: message), of: source)
        }
    }

    private mutating func askFallbacks(after elapsed: Duration) -> [(source: Int, timeout: Duration)] {
        guard !awaits(0) || elapsed >= patience.hedge else { return [] }
        if case .quote = answers[0] { return [] }
        var asked: [(source: Int, timeout: Duration)] = []
        for source in answers.indices {
            guard case .unasked = answers[source] else { continue }
            answers[source] = .awaited
            asked.append((source, max(.milliseconds(1), patience.budget - elapsed)))
        }
        return asked
    }

    /// The reading, as soon as no better one can come.
    private func verdict(isFinal: Bool) -> Reading? {
        var failures: [Failure] = []
        for answer in answers {
            switch answer {
            case .failed(let more): failures += more
            case .quote(let quote, let source, let before):
                return Reading(answering: tick, quote, from: source, after: failures + before)
            case .unasked, .awaited:
                if !isFinal { return nil }
            }
        }
        return Reading(answering: tick, failures)
    }
}
