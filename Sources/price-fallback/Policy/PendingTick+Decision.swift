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
                answer(opinion, after: failures(before: source, opinions, at: now) + before)
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
                ? .failed(Failure(disputed: opinion, by: others)) : .pending
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
            answer(
                shown.opinion, after: failures + shown.before + [disputed(shown.opinion, opinions, at: now)])
            return .pending
        }
        for other in opinions.contradicting(shown.opinion, at: now)
        where !failures.contains(where: { $0.source == other.name && $0.kind == .disputed }) {
            failures.append(disputed(other, opinions, at: now))
        }
        var outcome = CircuitBreaker.Outcome.pending
        if case .pending = primaryOutcome(opinions, at: now), case .quote(let opinion, _) = answers[0] {
            let isOutvoted = opinion.contradicts(shown.opinion, beyond: tolerance)
            outcome = isOutvoted ? .failed(disputed(opinion, opinions, at: now)) : .succeeded
        }
        answer(shown.opinion, after: failures + shown.before)
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
        Failure(disputed: opinion, by: opinions.contradicting(opinion, at: now))
    }

    private func isSetAside(_ source: Int, _ opinions: Opinions, at now: Instant) -> Bool {
        guard case .quote(let opinion, _) = answers[source] else { return false }
        return opinions.isSetAside(opinion, of: source, at: now)
    }

    private mutating func answer(_ opinion: Opinion, after failures: [Failure]) {
        reading = Reading(answering: tick, opinion.quote, from: opinion.name, after: failures.lastOfTick)
    }
}
