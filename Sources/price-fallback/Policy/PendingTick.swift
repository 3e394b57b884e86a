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

    /// What time has brought: who is to be asked, each with what is left to answer, and who has not answered.
    typealias Progress = (asked: [(source: Int, timeout: Duration)], silent: [Int])

    let tick: Tick
    private let patience: TimeLimits
    private var start: Instant
    /// Why the primary is only probed, and not waited for.
    private let probing: Failure?
    private var answers: [Answer]
    /// What goes out, once it is known.
    private(set) var reading: Reading?
    /// Whether it has gone out. Who was asked may still answer, or show that it is silent.
    private(set) var isTold = false

    /// A tick whose primary, the first of its sources, is being asked.
    init(_ tick: Tick, of sources: Int, patience: TimeLimits, probing: Failure? = nil, at now: Instant) {
        self.tick = tick
        symbol = tick.pricedSymbol
        self.patience = probing == nil ? patience : patience.hedged(after: .zero)
        self.probing = probing
        start = now
        answers = [.awaited] + Array(repeating: .unasked, count: sources - 1)
    }

    let symbol: Symbol

    /// The reading, to go out now; nil while it is not known.
    mutating func tell() -> Reading? {
        isTold = reading != nil
        return reading
    }

    /// Whether nothing more is to be told or heard.
    var isOver: Bool { isTold && !answers.indices.contains(where: awaits) }

    func isAnswered(by reading: Reading) -> Bool {
        reading.tick == tick.number && reading.pricedSymbol == symbol
    }

    func awaits(_ source: Int) -> Bool {
        if case .awaited = answers[source] { true } else { false }
    }

    /// How the primary has done: nil until that is known, and then its failure, or no failure.
    var primaryOutcome: Failure?? {
        switch answers[0] {
        case .unasked, .awaited: .none
        case .quote: .some(nil)
        case .failed(let failures): .some(failures.last)
        }
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

    /// Takes a time out of the budget in which nobody could do anything.
    mutating func forget(_ gap: Duration) {
        start += gap
    }

    /// Lets the time run to `now`: who is late has failed.
    mutating func advance(to now: Instant, names: [String]) -> Progress {
        let elapsed = now - start
        var progress: Progress = ([], [])
        if elapsed >= patience.timeout { progress.silent += expire(0..<1, patience.timeout, names) }
        if elapsed >= patience.budget { progress.silent += expire(answers.indices, patience.budget, names) }
        guard reading == nil else { return progress }
        if elapsed < patience.budget { progress.asked = askFallbacks(after: elapsed) }
        reading = verdict(isFinal: elapsed >= patience.budget)
        return progress
    }

    /// When `advance` has something to do next.
    var nextDeadline: Deadline? {
        var waits: [Duration] = []
        if reading == nil, hasUnasked { waits.append(patience.hedge) }
        if awaits(0) { waits.append(patience.timeout) }
        if answers.indices.dropFirst().contains(where: awaits) { waits.append(patience.budget) }
        return waits.min().map { Deadline(in: $0, from: start) }
    }

    private var hasUnasked: Bool {
        answers.contains { if case .unasked = $0 { true } else { false } }
    }

    private mutating func expire(_ sources: Range<Int>, _ limit: Duration, _ names: [String]) -> [Int] {
        let silent = sources.filter(awaits)
        for source in silent {
            let message = "no answer within \(limit.milliseconds) ms"
            note(Failure(source: names[source], kind: .timeout, message: message), of: source)
        }
        return silent
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

    /// The reading, as soon as no better one can come. A primary that is only probed is not waited for while
    /// somebody else has a quote.
    private func verdict(isFinal: Bool) -> Reading? {
        var failures: [Failure] = []
        var isDecided = true
        for (source, answer) in answers.enumerated() {
            switch answer {
            case .failed(let more): failures += more
            case .quote(let quote, let name, let before):
                return Reading(answering: tick, quote, from: name, after: failures + before)
            case .unasked, .awaited:
                if isFinal { continue }
                guard source == 0, let probing else { return nil }
                failures.append(probing)
                isDecided = false
            }
        }
        return isDecided ? Reading(answering: tick, failures) : nil
    }
}
