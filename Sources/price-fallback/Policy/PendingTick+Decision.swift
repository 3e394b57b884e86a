import PipeCommon

/// The decision which reading answers a tick.
extension PendingTick {
    private enum Choice {
        case undecided
        case noQuote
        case quote(of: Int, Opinion, after: [Failure])
    }

    /// Decides on the reading as soon as no better one is possible. If another source contradicts the best
    /// quote, all sources are asked first, and then their quotes are put to a vote.
    ///
    /// - Returns: the primary's outcome, if a vote has determined it.
    mutating func decide(_ opinions: inout Opinions, at now: Instant) -> CircuitBreaker.Outcome {
        guard reading == nil else { return .pending }
        switch choice(opinions, at: now) {
        case .undecided: isDisputed = isDisputed || isSetAside(0, opinions, at: now)
        case .noQuote:
            reading = Reading(answering: tick, failures(before: answers.count, opinions, at: now).lastOfTick)
        case .quote(let source, let opinion, let before):
            if opinions.contradicting(opinion, at: now).isEmpty {
                let earlier = failures(before: source, opinions, at: now)
                answer(
                    opinion, after: earlier + before, comparing: hasQuote(before: source) ? opinions : nil,
                    at: now)
            } else if !isFinal(at: now), answers.contains(where: \.isOpen), opinions.mayAsk(at: now) {
                isDisputed = true
            } else {
                return vote(orElse: source, &opinions, at: now)
            }
        }
        return .pending
    }

    /// The primary's outcome: a disputed quote is pending, or failed if it is set aside.
    func primaryOutcome(_ opinions: Opinions, at now: Instant) -> CircuitBreaker.Outcome {
        switch answers[0] {
        case .unasked, .awaited: return .pending
        // There is always at least one failure.
        case .failed(let failures): return .failed(failures.last!)
        case .quote(let opinion, _):
            let others = opinions.contradicting(opinion, at: now)
            if others.isEmpty { return .succeeded }
            return isSetAside(0, opinions, at: now)
                ? .failed(Failure(disputed: opinion, by: others.map(\.opinion))) : .pending
        }
    }

    /// The first quote in the order of the sources, once each source before it has failed. A quote that is set aside is
    /// the last resort.
    private func choice(_ opinions: Opinions, at now: Instant) -> Choice {
        var choice = Choice.noQuote
        for (source, answer) in answers.enumerated() {
            switch answer {
            case .failed: continue
            case .quote(let opinion, let before):
                if !isSetAside(source, opinions, at: now) {
                    return .quote(of: source, opinion, after: before)
                }
                if case .noQuote = choice { choice = .quote(of: source, opinion, after: before) }
            case .unasked, .awaited:
                if isFinal(at: now) { continue }
                // A fallback's quote is used without waiting for a primary that is only probed.
                guard source == 0, probing != nil else { return .undecided }
                choice = .undecided
            }
        }
        return choice
    }

    /// Puts this tick's quotes to a vote. Without a winner, the best quote is used, and marked as disputed.
    ///
    /// - Returns: the primary's outcome according to the winner, if it was not known yet.
    private mutating func vote(orElse best: Int, _ opinions: inout Opinions, at now: Instant)
        -> CircuitBreaker.Outcome
    {
        var quotes: [(source: Int, opinion: Opinion, before: [Failure])] = []
        for (source, answer) in answers.enumerated() {
            if case .quote(let opinion, let before) = answer { quotes.append((source, opinion, before)) }
        }
        // Without a tolerance, no quote is contradicted.
        let tolerance = opinions.tolerance!
        let place = Vote.winner(among: quotes.map(\.opinion), within: tolerance)
        let shown = place.map { quotes[$0] } ?? quotes.first { $0.source == best }!
        var failures = failures(before: shown.source, opinions, at: now)
        guard place != nil else {
            opinions.recordUndecided(at: now)
            failures += shown.before + [disputed(shown.opinion, opinions, at: now)]
            answer(shown.opinion, after: failures, isDisputed: true, comparing: opinions, at: now)
            return .pending
        }
        for (source, other) in opinions.contradicting(shown.opinion, at: now)
        where !quotes.contains(where: { $0.source == source && source < shown.source }) {
            failures.append(disputed(other, opinions, at: now))
        }
        var outcome = CircuitBreaker.Outcome.pending
        if case .pending = primaryOutcome(opinions, at: now), case .quote(let opinion, _) = answers[0] {
            let isOutvoted = opinion.contradicts(shown.opinion, beyond: tolerance)
            outcome = isOutvoted ? .failed(disputed(opinion, opinions, at: now)) : .succeeded
        }
        answer(shown.opinion, after: failures + shown.before, comparing: opinions, at: now)
        opinions.outvote(contradicting: shown.opinion)
        return outcome
    }

    /// The failures of the sources before a given one, including disputes for those whose quotes are not
    /// used.
    private func failures(before source: Int, _ opinions: Opinions, at now: Instant) -> [Failure] {
        answers[..<source].flatMap { answer -> [Failure] in
            switch answer {
            case .failed(let failures): failures
            case .quote(let opinion, _): [disputed(opinion, opinions, at: now)]
            // Only a primary that is being probed can still be awaited here.
            case .awaited: [probing].compactMap { $0 }
            case .unasked: []
            }
        }
    }

    private func disputed(_ opinion: Opinion, _ opinions: Opinions, at now: Instant) -> Failure {
        Failure(disputed: opinion, by: opinions.contradicting(opinion, at: now).map(\.opinion))
    }

    private func isSetAside(_ source: Int, _ opinions: Opinions, at now: Instant) -> Bool {
        guard case .quote(let opinion, _) = answers[source] else { return false }
        return opinions.isSetAside(opinion, of: source, at: now)
    }

    /// Whether a source before a given one has a quote, which is then disputed.
    private func hasQuote(before source: Int) -> Bool {
        answers[..<source].contains { if case .quote = $0 { true } else { false } }
    }

    /// - Parameters:
    ///   - isDisputed: whether the quote itself is disputed.
    ///   - opinions: what the quote was compared with; nil if nothing contradicted it.
    private mutating func answer(
        _ opinion: Opinion, after failures: [Failure], isDisputed: Bool = false,
        comparing opinions: Opinions?,
        at now: Instant
    ) {
        let failures = failures.lastOfTick
        var reading = Reading(answering: tick, opinion.quote, from: opinion.name, after: failures)
        (reading.isClosed, reading.isStored) = (opinion.isClosed, opinion.isStored)
        reading.isMadeUp = opinion.isMadeUp
        reading.prices = opinions.map { compared(with: opinion, $0, at: now) } ?? opinion.prices
        if failures.contains(where: { $0.kind == .disputed }) {
            reading.ownDispute = isDisputed || opinion.isDisputed
        }
        self.reading = reading
    }

    /// This tick's quotes in the currency of one of them, and the remembered ones that contradict it.
    private func compared(with shown: Opinion, _ opinions: Opinions, at now: Instant) -> [SourcePrice] {
        let contradicting = opinions.contradicting(shown, at: now)
        return answers.enumerated().compactMap { source, answer in
            var opinion = contradicting.first { $0.source == source }?.opinion
            if case .quote(let own, _) = answer { opinion = own }
            guard let opinion, opinion.quote.currency == shown.quote.currency else { return nil }
            return SourcePrice(source: opinion.name, price: opinion.quote.price)
        }
    }
}
