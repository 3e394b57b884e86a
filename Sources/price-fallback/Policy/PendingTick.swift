import PipeCommon

/// A tick, the sources' answers so far, and the reading that answers the tick. Pure.
struct PendingTick {
    typealias Instant = Deadline.Instant

    enum Answer {
        case unasked
        case awaited
        case quote(Opinion, Reading)
        case failed([Failure])
    }

    let tick: Tick
    /// The index of the tick's subject.
    let subject: Int
    private let limits: TimeLimits
    private var start: Instant
    /// The failure to report while the primary has not answered; nil unless the primary is only probed.
    let probing: Failure?
    private(set) var answers: [Answer]
    /// Whether all sources are queried because two sources contradict each other.
    var isDisputed = false
    /// The reading that answers the tick; nil until it is decided.
    var reading: Reading?
    /// Whether the reading has been passed on. Even then, sources that were queried may still answer or time out.
    var isAnswered = false
    /// The id of the next unanswered tick of the same subject.
    var nextUnanswered: Int?

    /// Creates a tick that awaits an answer from the primary, which is the first source.
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

    /// Whether the tick is disputed and undecided, and some sources have not been queried yet.
    var needsOthers: Bool { isDisputed && reading == nil && answers.contains(where: \.isUnasked) }

    /// Whether to query the other sources because the primary has failed or has not answered within the hedge time, or
    /// because the tick is disputed. False after the budget has been used up.
    func needsFallbacks(at now: Instant) -> Bool {
        let elapsed = now - start
        guard elapsed < limits.budget, elapsed >= limits.hedge || !answers[0].isAwaited else { return false }
        if case .quote = answers[0] { return isDisputed }
        return true
    }

    func awaits(_ source: Int) -> Bool { answers[source].isAwaited }

    func isUnasked(_ source: Int) -> Bool { answers[source].isUnasked }

    /// Whether a reading with this tick's number and subject answers this tick. Ticks for different candles may have
    /// the same number, so if this tick requests a candle, the reading's time must be the tick's time or nil.
    func isAnswered(by reading: Reading) -> Bool {
        tick.candle == nil || reading.at == nil || reading.at == tick.at
    }

    func timeLeft(at now: Instant) -> Duration {
        max(.milliseconds(1), limits.budget - (now - start))
    }

    func deadline(_ limit: TimeLimits.Kind) -> Deadline {
        Deadline(in: limits[limit], from: start)
    }

    /// Whether reaching a limit may still have an effect on this tick. Once the result is false, it stays false.
    func needs(_ limit: TimeLimits.Kind) -> Bool {
        switch limit {
        case .hedge: reading == nil && answers.contains(where: \.isUnasked)
        case .timeout: answers[0].isAwaited
        case .budget: true
        }
    }

    /// The sources that have not answered in time, each with the time limit that it exceeded.
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

    /// - Parameters:
    ///   - opinion: the reading's new quote; nil if the reading does not contain a new quote.
    ///   - name: the name of the source in a failure.
    mutating func record(_ reading: Reading, _ opinion: Opinion?, from source: Int, named name: String) {
        if let opinion {
            answers[source] = .quote(opinion, reading)
        } else if reading.failures.isEmpty {
            // The reading contains no quote, or only another pipeline's last known quote, which does not answer this
            // tick.
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

/// Limits on the number of failures in a reading. They ensure that the failures of one source leave room for
/// another source's quote: a line with 48 failures of maximum length and a quote fits in the 64 KiB that stages accept.
extension [Failure] {
    /// The failures of one source that are passed to the next stage: the last 8.
    var lastOfSource: [Failure] { suffix(8).map(\.withoutRetryTime) }

    /// The failures of a tick, from all sources, that are passed to the next stage: the last 48.
    var lastOfTick: [Failure] { Array(suffix(48)) }
}

extension Failure {
    /// The failure as it is passed to the next stage, without its retry time, which only price-fallback uses.
    var withoutRetryTime: Failure {
        retry == nil ? self : Failure(source: source, kind: kind, message: message)
    }
}

/// The choice of the reading that answers a tick.
extension PendingTick {
    private enum Choice {
        case undecided
        case noQuote
        case quote(of: Int, Opinion, Reading)
    }

    /// Decides on the reading unless the decision must wait for further answers. If another source contradicts the best
    /// quote (see `Opinions.contradicting`), all sources are queried and, if the contradiction remains, the quotes are
    /// put to a vote. If the time is up or `Opinions.mayAsk` returns false, the vote is held immediately instead. Must
    /// not be called after the decision.
    ///
    /// - Returns: the primary's outcome if a vote has determined it, otherwise `.pending`.
    mutating func decide(_ opinions: inout Opinions, at now: Instant) -> CircuitBreaker.Outcome {
        switch choice(opinions, at: now) {
        case .undecided: isDisputed = isDisputed || isSetAside(0, opinions, at: now)
        case .noQuote:
            let failures = failures(before: answers.count, of: nil, opinions, at: now)
            reading = Reading(answering: tick, failures.lastOfTick)
        case .quote(let source, let opinion, let reading):
            if opinions.contradicting(opinion, of: source, at: now).isEmpty {
                let isCompared = hasQuote(before: source, comparableWith: opinion)
                var failures = failures(before: source, of: opinion, opinions, at: now)
                if isCompared { failures += losers(to: opinion, of: source, opinions, at: now) }
                answer(
                    with: reading, of: source, after: failures,
                    comparing: isCompared ? opinions : nil, at: now)
            } else if !isFinal(at: now), answers.contains(where: \.isOpen), opinions.mayAsk(at: now) {
                isDisputed = true
            } else {
                return vote(orElse: source, opinion, &opinions, at: now)
            }
        }
        return .pending
    }

    /// The primary's outcome. A quote that is set aside counts as a failure. If other sources contradict a quote that
    /// is not set aside, the outcome is pending until the reading is decided.
    func primaryOutcome(_ opinions: Opinions, at now: Instant) -> CircuitBreaker.Outcome {
        switch answers[0] {
        case .unasked, .awaited: return .pending
        // A failed answer always contains at least one failure.
        case .failed(let failures): return .failed(failures.last!)
        case .quote(let opinion, _):
            let others = opinions.contradicting(opinion, of: 0, at: now)
            if others.isEmpty { return .succeeded }
            return isSetAside(0, opinions, at: now)
                ? .failed(Failure(disputed: opinion, by: others.map(\.opinion)))
                : reading == nil ? .pending : .succeeded
        }
    }

    /// The first quote in the order of the sources, as soon as every source before the quote's source has answered or
    /// failed, or the time is up. A fallback's quote waits for a primary that is only probed only if the quote is set
    /// aside. A quote that is set aside is used only as a last resort.
    private func choice(_ opinions: Opinions, at now: Instant) -> Choice {
        var choice = Choice.noQuote
        for (source, answer) in answers.enumerated() {
            switch answer {
            case .failed: continue
            case .quote(let opinion, let reading):
                if !isSetAside(source, opinions, at: now) { return .quote(of: source, opinion, reading) }
                if case .noQuote = choice { choice = .quote(of: source, opinion, reading) }
            case .unasked, .awaited:
                if isFinal(at: now) { continue }
                // If the primary is only probed, the search for a quote continues with the fallbacks.
                guard source == 0, probing != nil else { return .undecided }
                choice = .undecided
            }
        }
        return choice
    }

    /// Puts this tick's quotes to a vote. Without a winner, the best quote is used and marked as disputed.
    ///
    /// - Parameters:
    ///   - best: the source of the best quote.
    ///   - own: the best quote.
    /// - Returns: the primary's outcome if this vote has determined it; otherwise `.pending`. In the first case, the
    ///   primary has failed if its quote differs too much from the winning quote.
    private mutating func vote(
        orElse best: Int, _ own: Opinion, _ opinions: inout Opinions, at now: Instant
    ) -> CircuitBreaker.Outcome {
        // Quotes that are set aside come last, because the first quote that qualifies wins.
        var quotes: [(source: Int, opinion: Opinion, reading: Reading)] = []
        var setAside = quotes
        for (source, answer) in answers.enumerated() {
            // Only quotes that can be compared with the best quote take part.
            guard case .quote(let opinion, let reading) = answer, opinion.isComparable(with: own) else {
                continue
            }
            if isSetAside(source, opinions, at: now) {
                setAside.append((source, opinion, reading))
            } else {
                quotes.append((source, opinion, reading))
            }
        }
        quotes += setAside
        // The tolerance is not nil: without a tolerance, quotes do not contradict each other, so there is no vote.
        let tolerance = opinions.tolerance!
        let place = Vote.winner(among: quotes.map(\.opinion), within: tolerance)
        let shown = place.map { quotes[$0] } ?? quotes.first { $0.source == best }!
        var failures = failures(before: shown.source, of: shown.opinion, opinions, at: now)
        guard place != nil else {
            opinions.recordUndecided(at: now)
            let dispute = disputed(shown.opinion, of: shown.source, opinions, at: now)
            let before = primaryOutcome(opinions, at: now)
            answer(
                with: shown.reading, of: shown.source, after: failures, dispute, comparing: opinions, at: now)
            if case .pending = before { return primaryOutcome(opinions, at: now) }
            return .pending
        }
        failures += losers(to: shown.opinion, of: shown.source, opinions, at: now)
        var outcome = CircuitBreaker.Outcome.pending
        if case .pending = primaryOutcome(opinions, at: now), case .quote(let opinion, _) = answers[0] {
            let isOutvoted = opinion.differs(from: shown.opinion, beyond: tolerance)
            outcome = isOutvoted ? .failed(Failure(disputed: opinion, by: [shown.opinion])) : .succeeded
        }
        answer(with: shown.reading, of: shown.source, after: failures, comparing: opinions, at: now)
        opinions.outvote(differingFrom: shown.opinion, of: shown.source)
        return outcome
    }

    /// The failures of the sources before the source of the chosen quote. A quote from one of these sources counts as a
    /// failure of the kind `disputed` if it is set aside or can be compared with the chosen quote.
    private func failures(
        before source: Int, of chosen: Opinion?, _ opinions: Opinions, at now: Instant
    ) -> [Failure] {
        answers[..<source].enumerated().flatMap { source, answer -> [Failure] in
            switch answer {
            case .failed(let failures): failures
            case .quote(let opinion, _):
                chosen.map(opinion.isComparable) == true || isSetAside(source, opinions, at: now)
                    ? [disputed(opinion, of: source, opinions, at: now)] : []
            // If the primary is only probed, its answer may still be awaited.
            case .awaited: source == 0 ? [probing].compactMap { $0 } : []
            case .unasked: []
            }
        }
    }

    /// The failures of the kind `disputed` that `failures(before:of:_:at:)` does not list, at most one per source: for
    /// the remembered opinion if it contradicts the chosen quote; otherwise for the quote of a later source if this
    /// quote differs too much from the chosen quote.
    private func losers(
        to chosen: Opinion, of source: Int, _ opinions: Opinions, at now: Instant
    ) -> [Failure] {
        guard let tolerance = opinions.tolerance else { return [] }
        let contradicting = opinions.contradicting(chosen, of: source, at: now)
        return answers.enumerated().compactMap { other, answer -> Failure? in
            if other < source, hasQuote(of: other, comparableWith: chosen) { return nil }
            var loser = contradicting.first { $0.source == other }?.opinion
            if case .quote(let opinion, _) = answer, opinion.differs(from: chosen, beyond: tolerance) {
                loser = loser ?? opinion
            }
            return loser.map { disputed($0, of: other, opinions, at: now) }
        }
    }

    private func disputed(
        _ opinion: Opinion, of source: Int, _ opinions: Opinions, at now: Instant
    ) -> Failure {
        Failure(disputed: opinion, by: opinions.contradicting(opinion, of: source, at: now).map(\.opinion))
    }

    private func isSetAside(_ source: Int, _ opinions: Opinions, at now: Instant) -> Bool {
        guard case .quote(let opinion, _) = answers[source] else { return false }
        return opinions.isSetAside(opinion, of: source, at: now)
    }

    /// Whether any source before the source of the chosen quote has sent a quote that can be compared with the chosen
    /// quote. When `decide` calls this method, such a quote must be set aside, because otherwise it would have been
    /// chosen.
    private func hasQuote(before source: Int, comparableWith chosen: Opinion) -> Bool {
        (0..<source).contains { hasQuote(of: $0, comparableWith: chosen) }
    }

    private func hasQuote(of source: Int, comparableWith chosen: Opinion) -> Bool {
        if case .quote(let opinion, _) = answers[source] { opinion.isComparable(with: chosen) } else { false }
    }

    /// - Parameters:
    ///   - chosen: the reading whose quote answers the tick.
    ///   - dispute: the failure that marks this quote as disputed; nil unless a vote ended without a winner.
    ///   - opinions: the opinions for the list of compared prices; nil to copy the list from `chosen`.
    private mutating func answer(
        with chosen: Reading, of source: Int, after failures: [Failure], _ dispute: Failure? = nil,
        comparing opinions: Opinions?, at now: Instant
    ) {
        let failures = (failures + chosen.failures.lastOfSource + [dispute].compactMap(\.self)).lastOfTick
        var reading = Reading(answering: tick, chosen.quote!, from: chosen.source!, after: failures)
        (reading.isClosed, reading.isStored) = (chosen.isClosed, chosen.isStored)
        reading.isMadeUp = chosen.isMadeUp
        reading.prices = opinions.map { compared(with: chosen, of: source, $0, at: now) } ?? chosen.prices
        // If the source itself marked its quote as disputed, the failure for this dispute may be missing from the
        // shortened list of failures.
        if chosen.isDisputed || failures.contains(where: { $0.kind == .disputed }) {
            reading.ownDispute = dispute != nil || chosen.isDisputed
        }
        self.reading = reading
    }

    /// At most one price per source, in the currency of the chosen quote: the price of the source's quote for this tick
    /// or, if there is none, of a remembered quote that contradicts the chosen quote.
    private func compared(
        with chosen: Reading, of source: Int, _ opinions: Opinions, at now: Instant
    ) -> [SourcePrice] {
        let contradicting = Opinion(chosen).map { opinions.contradicting($0, of: source, at: now) } ?? []
        return answers.enumerated().compactMap { source, answer in
            var opinion = contradicting.first { $0.source == source }?.opinion
            if case .quote(let own, _) = answer { opinion = own }
            guard let opinion, opinion.currency == chosen.quote!.currency,
                opinion.isMadeUp == chosen.isMadeUp
            else { return nil }
            return SourcePrice(source: opinion.name, price: opinion.price)
        }
    }
}
