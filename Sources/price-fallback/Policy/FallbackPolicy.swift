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
    /// The oldest first.
    private var pending: [PendingTick] = []

    /// - Parameters:
    ///   - names: what each source is called before its first reading, the primary first.
    ///   - trip: the number of failures in a row after which a primary is only probed; 0 disables.
    init(names: [String], limits: TimeLimits, trip: Int = 3) {
        self.limits = limits
        self.names = names
        breaker = CircuitBreaker(after: trip)
        silences = Silences(sources: names.count)
        warmUp = WarmUp(of: names, limits: limits)
    }

    /// The number of ticks without an answer.
    var pendingCount: Int { pending.count(where: { !$0.isAnswered }) }

    /// The latest time for the next call of `handle`; nil while nothing is due.
    var nextDeadline: Deadline? { pending.lazy.compactMap(\.nextDeadline).min() }

    /// Lets the time pass to `now`, then applies the events in their order.
    mutating func handle(_ events: [Event] = [], at now: Deadline.Instant) -> [Action] {
        var actions = timeOut(at: now)
        var newest: Tick?
        for event in events {
            switch event {
            case .tick(let tick):
                // A candle is too large a request for keeping a connection open, and may have one of its own.
                if tick.candle == nil { newest = tick }
                if let ask = begin(tick, at: now) { actions.append(ask) }
            case .reading(let reading, let source): receive(reading, from: source, at: now)
            case .lost(let source, let message): lose(source, message)
            case .blocked(let source, let tick): actions += failBlocked(tick, source)
            }
        }
        actions += askFallbacks(at: now)
        if let newest { actions += askIdleFallbacks(newest, at: now) }
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
                recordOutcome(of: source, in: pending[index])
                // The candles of a burst are of one moment, although each has a number of its own.
                let tick = pending[index].tick
                if tick.candle == nil { silent.append((source, tick.number)) }
            }
        }
        return restart(silent)
    }

    /// Restarts the sources for which a beat without any answer is one too many.
    private mutating func restart(_ silent: [(source: Int, beat: Int?)]) -> [Action] {
        var hung: [(source: Int, message: String)] = []
        for source in Set(silent.map(\.source)).sorted() {
            let ended = silent.filter { silent in
                silent.source == source
                    && !pending.contains { $0.tick.number == silent.beat && $0.awaits(source) }
            }
            let message = silences.recordSilence(of: source, in: ended.map(\.beat))
            if let message { hung.append((source, message)) }
        }
        for (source, message) in hung { lose(source, message) }
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
        let answered = pending.indices.first {
            pending[$0].isAnswered(by: reading) && pending[$0].awaits(source)
        }
        guard let answered else { return }
        pending[answered].record(reading, from: source)
        recordOutcome(of: source, in: pending[answered])
    }

    private mutating func failBlocked(_ tick: Tick, _ source: Int) -> [Action] {
        let blocked = pending.lastIndex { $0.isAsked(as: tick) && $0.awaits(source) }
        guard let blocked else { return [] }
        let message = "is not reading its input"
        fail(source, in: blocked, Failure(source: names[source], kind: .exited, message: message))
        return tick.candle == nil ? restart([(source, tick.number)]) : []
    }

    private mutating func lose(_ source: Int, _ message: String) {
        silences.recordEnd(of: source)
        for index in pending.indices where pending[index].awaits(source) {
            fail(source, in: index, Failure(source: names[source], kind: .exited, message: message))
        }
    }

    private mutating func fail(_ source: Int, in index: Int, _ failure: Failure) {
        pending[index].record(failure, of: source)
        recordOutcome(of: source, in: pending[index])
    }

    /// Candles do not count: those of a burst fail together, and some of them have no price at any time.
    private mutating func recordOutcome(of source: Int, in tick: PendingTick) {
        guard source == 0, tick.subject.candle == nil else { return }
        breaker.record(tick.primaryOutcome, for: tick.subject.symbol)
    }

    /// Asks the fallbacks of each tick that needs them, and decides each tick that can be decided.
    private mutating func askFallbacks(at now: Deadline.Instant) -> [Action] {
        var actions: [Action] = []
        for index in pending.indices where pending[index].reading == nil {
            for source in pending[index].startFallbacks(at: now) {
                let timeout = pending[index].timeLeft(at: now)
                if let ask = ask(source, for: index, within: timeout, at: now) { actions.append(ask) }
            }
            pending[index].decide(at: now)
        }
        return actions
    }

    /// - Returns: nil for a source in its cooldown; the tick has its failure then.
    private mutating func ask(
        _ source: Int, for index: Int, within timeout: Duration, at now: Deadline.Instant
    ) -> Action? {
        if let failure = cooldowns.failure(of: source, for: pending[index].subject, at: now) {
            fail(source, in: index, failure)
            return nil
        }
        if pending[index].subject.candle == nil { warmUp.recordAsked(source, at: now) }
        return .ask(source, pending[index].tick.limited(to: timeout))
    }

    /// Asks the fallbacks that need it for the sake of their connections; the answers match no tick.
    private mutating func askIdleFallbacks(_ tick: Tick, at now: Deadline.Instant) -> [Action] {
        let due = warmUp.due(at: now).filter { source in
            cooldowns.failure(of: source, for: tick.subject, at: now) == nil
        }
        return due.map { source in
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
