import PipeCommon

/// Decides which source is asked when, and which reading answers a tick. A pure state machine: events and
/// times in, actions out.
struct FallbackPolicy {
    enum Event {
        /// A tick was read; it has a number and a time.
        case tick(Tick)
        case reading(Reading, from: Int)
        /// A source ended, could not be asked, or broke the protocol.
        case lost(Int, message: String)
        /// A source has left so much of its input unread that this tick did not fit.
        case blocked(Int, Tick)
    }

    enum Action: Equatable {
        /// Hand this tick to a source; its timeout is the time that is left to answer it.
        case ask(Int, Tick)
        case answer(Reading)
        /// End a source that hangs, and start it again. Its ticks have failed already.
        case restart(Int, message: String)
    }

    private let limits: TimeLimits
    /// The name of each source in its own readings; an initial one until the first of them.
    private var names: [String]
    private var breaker: CircuitBreaker
    private var cooldowns = Cooldowns()
    private var silences: Silences
    private var warmUp: WarmUp
    private var opinions: Opinions
    /// The oldest first.
    private var pending: [PendingTick] = []

    /// - Parameters:
    ///   - names: what each source is called before its first reading, the primary first.
    ///   - trip: the number of failures in a row after which a primary is only probed; 0 disables.
    ///   - agree: by how much the quotes of two sources may differ; nil if they are not compared.
    init(names: [String], limits: TimeLimits, trip: Int = 3, agree: Tolerance? = nil) {
        self.limits = limits
        self.names = names
        breaker = CircuitBreaker(after: trip)
        silences = Silences(sources: names.count)
        warmUp = WarmUp(of: names, limits: limits)
        opinions = Opinions(of: names.count, within: agree)
    }

    /// The number of ticks without an answer.
    var pendingCount: Int { pending.count(where: { !$0.isAnswered }) }

    /// The latest time for the next call of `handle`; nil while nothing is due.
    var nextDeadline: Deadline? { pending.lazy.compactMap(\.nextDeadline).min() }

    /// Lets the time pass to `now`, then applies the events in their order.
    mutating func handle(_ events: [Event] = [], at now: Deadline.Instant) -> [Action] {
        var actions = timeOut(at: now)
        var isBeat = false
        for event in events {
            switch event {
            case .tick(let tick):
                if tick.candle == nil { isBeat = true }
                if let ask = begin(tick, at: now) { actions.append(ask) }
            case .reading(let reading, let source): receive(reading, from: source, at: now)
            case .lost(let source, let message): lose(source, message, at: now)
            case .blocked(let source, let tick): actions += failBlocked(tick, source, at: now)
            }
        }
        actions += askFallbacks(at: now)
        if isBeat { actions += askIdleFallbacks(events, at: now) }
        return actions + answers()
    }

    /// Adds the time during which the program was suspended to every deadline.
    mutating func postponeDeadlines(by gap: Duration) {
        for index in pending.indices { pending[index].postponeDeadlines(by: gap) }
    }

    private mutating func timeOut(at now: Deadline.Instant) -> [Action] {
        var silent: [(source: Int, beat: Int?)] = []
        for index in pending.indices {
            for source in pending[index].timeOut(at: now, names: names) {
                recordOutcome(of: source, in: pending[index], at: now)
                // The candles of a burst are of one moment, although each has a number of its own.
                let tick = pending[index].tick
                if tick.candle == nil { silent.append((source, tick.number)) }
            }
        }
        return restart(silent, at: now)
    }

    /// Restarts the sources for which a beat without any answer is one too many.
    private mutating func restart(
        _ silent: [(source: Int, beat: Int?)], at now: Deadline.Instant
    ) -> [Action] {
        var hung: [(source: Int, message: String)] = []
        for source in Set(silent.map(\.source)).sorted() {
            let ended = silent.filter { silent in
                silent.source == source
                    && !pending.contains { $0.tick.number == silent.beat && $0.awaits(source) }
            }
            let message = silences.recordSilence(of: source, in: ended.map(\.beat))
            if let message { hung.append((source, message)) }
        }
        for (source, message) in hung { lose(source, message, at: now) }
        return hung.map { .restart($0.source, message: $0.message) }
    }

    private mutating func begin(_ tick: Tick, at now: Deadline.Instant) -> Action? {
        let probing = breaker.probingFailure(for: tick.pricedSymbol)
        pending.append(PendingTick(tick, of: names.count, limits: limits, probing: probing, at: now))
        return ask(0, for: pending.count - 1, within: limits.timeout, at: now)
    }

    /// Records a reading for the oldest tick that it answers. Late, duplicate and unknown ones answer none.
    private mutating func receive(_ reading: Reading, from source: Int, at now: Deadline.Instant) {
        silences.recordSignOfLife(of: source, in: reading.tick)
        // A store answers with the names of others.
        if let name = reading.source ?? reading.failures.last?.source, names[source] != storeName {
            names[source] = name
        }
        cooldowns.record(reading, from: source, at: now)
        let opinion = opinion(in: reading, of: source)
        if let opinion, reading.candle == nil {
            opinions.record(opinion, of: source, for: reading.pricedSymbol, at: now)
        }
        let answered = pending.indices.first {
            pending[$0].isAnswered(by: reading) && pending[$0].awaits(source)
        }
        guard let answered else { return }
        pending[answered].record(reading, opinion, from: source)
        recordOutcome(of: source, in: pending[answered], at: now)
    }

    private func opinion(in reading: Reading, of source: Int) -> Opinion? {
        guard reading.isFresh, let quote = reading.quote, let name = reading.source else { return nil }
        return Opinion(quote, from: name, isOwn: names[source] != storeName)
    }

    private mutating func failBlocked(
        _ tick: Tick, _ source: Int, at now: Deadline.Instant
    ) -> [Action] {
        let blocked = pending.lastIndex { $0.isAsked(as: tick) && $0.awaits(source) }
        guard let blocked else { return [] }
        let message = "is not reading its input"
        fail(source, in: blocked, Failure(source: names[source], kind: .exited, message: message), at: now)
        return tick.candle == nil ? restart([(source, tick.number)], at: now) : []
    }

    private mutating func lose(_ source: Int, _ message: String, at now: Deadline.Instant) {
        silences.recordEnd(of: source)
        for index in pending.indices where pending[index].awaits(source) {
            fail(source, in: index, Failure(source: names[source], kind: .exited, message: message), at: now)
        }
    }

    private mutating func fail(
        _ source: Int, in index: Int, _ failure: Failure, at now: Deadline.Instant
    ) {
        pending[index].record(failure, of: source)
        recordOutcome(of: source, in: pending[index], at: now)
    }

    /// Candles do not count: those of a burst fail together, and some of them have no price at any time.
    private mutating func recordOutcome(of source: Int, in tick: PendingTick, at now: Deadline.Instant) {
        guard source == 0, tick.subject.candle == nil else { return }
        breaker.record(tick.primaryOutcome(at: now, opinions), for: tick.subject.symbol)
    }

    /// Asks the fallbacks of each tick that needs them, and decides each tick that can be decided.
    private mutating func askFallbacks(at now: Deadline.Instant) -> [Action] {
        var actions: [Action] = []
        for index in pending.indices where pending[index].reading == nil {
            repeat {
                for source in pending[index].startFallbacks(at: now) {
                    let timeout = pending[index].timeLeft(at: now)
                    if let ask = ask(source, for: index, within: timeout, at: now) { actions.append(ask) }
                }
                let outcome = pending[index].decide(at: now, &opinions)
                breaker.record(outcome, for: pending[index].subject.symbol)
            } while pending[index].needsOthers
        }
        return actions
    }

    /// - Returns: nil for a source in its cooldown; the tick has its failure then.
    private mutating func ask(
        _ source: Int, for index: Int, within timeout: Duration, at now: Deadline.Instant
    ) -> Action? {
        if let failure = cooldowns.failure(of: source, for: pending[index].subject, at: now) {
            fail(source, in: index, failure, at: now)
            return nil
        }
        if pending[index].subject.candle == nil { warmUp.recordAsked(source, at: now) }
        return .ask(source, pending[index].tick.limited(to: timeout))
    }

    /// Asks the fallbacks that need it for the sake of their connections, and for a second opinion. The answers match no
    /// tick.
    private mutating func askIdleFallbacks(_ events: [Event], at now: Deadline.Instant) -> [Action] {
        let due = warmUp.due(at: now)
        guard !due.isEmpty else { return [] }
        // A candle is too large a request for keeping a connection open, and may have one of its own.
        let tick = warmUp.nextTurn(
            among: events.compactMap {
                if case .tick(let tick) = $0, tick.candle == nil { tick } else { nil }
            })
        return due.filter { cooldowns.failure(of: $0, for: tick.subject, at: now) == nil }.map { source in
            warmUp.recordAsked(source, at: now)
            return .ask(source, tick.limited(to: limits.budget))
        }
    }

    /// Answers the ticks of each subject in their order, as far as they are decided.
    private mutating func answers() -> [Action] {
        var answers: [Action] = []
        // An array, since few subjects are searched faster than a set.
        var waiting: [Subject] = []
        for index in pending.indices where !pending[index].isAnswered {
            let subject = pending[index].subject
            if waiting.contains(subject) { continue }
            if let reading = pending[index].takeReading() {
                answers.append(.answer(reading))
            } else {
                waiting.append(subject)
            }
        }
        pending.removeAll(where: \.isFinished)
        return answers
    }
}

extension Tick {
    /// The tick as a source gets it.
    fileprivate func limited(to timeout: Duration) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: timeout)
    }
}
