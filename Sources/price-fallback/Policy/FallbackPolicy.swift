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
    private var pending = PendingTicks()
    /// The pending ticks that the events of this call concern.
    private var touched: [Int] = []

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
    var pendingCount: Int { pending.unansweredCount }

    /// The latest time for the next call of `handle`; nil while nothing is due.
    var nextDeadline: Deadline? { mutating get { pending.nextDeadline } }

    /// Lets the time pass to `now`, then applies the events in their order.
    mutating func handle(_ events: [Event] = [], at now: Deadline.Instant) -> [Action] {
        touched = []
        var actions = timeOut(at: now)
        var isBeat = false
        for event in events {
            switch event {
            case .tick(let tick):
                if tick.candle == nil { isBeat = true }
                if let ask = begin(tick, at: now) { actions.append(ask) }
            case .reading(let reading, let source): receive(reading, from: source, at: now)
            case .lost(let source, let message): lose(source, message, at: now)
            }
        }
        touched.sort()
        actions += askFallbacks(at: now)
        if isBeat { actions += askIdleFallbacks(events, at: now) }
        return actions + answers()
    }

    /// Adds the time during which the program was suspended to every deadline.
    mutating func postponeDeadlines(by gap: Duration) {
        pending.postponeDeadlines(by: gap)
    }

    private mutating func timeOut(at now: Deadline.Instant) -> [Action] {
        var silent = Array(repeating: [Int?](), count: names.count)
        for id in pending.takeDue(at: now) {
            touched.append(id)
            let tick = pending[id].tick
            for source in pending[id].timeOut(at: now, names: names) {
                recordOutcome(of: source, in: pending[id], at: now)
                // The candles of a burst are of one moment, although each has a number of its own.
                if tick.candle == nil, silent[source].last != tick.number {
                    silent[source].append(tick.number)
                }
            }
        }
        return restart(silent, at: now)
    }

    /// Restarts the sources for which a beat without any answer is one too many.
    ///
    /// - Parameter silent: for each source the beats in which a tick was not answered.
    private mutating func restart(_ silent: [[Int?]], at now: Deadline.Instant) -> [Action] {
        var hung: [(source: Int, message: String)] = []
        for (source, beats) in silent.enumerated() {
            let beat = beats.last { !silences.hasSeen($0, from: source) && !pending.awaits(source, in: $0) }
            if let beat, let message = silences.recordSilence(of: source, in: beat) {
                hung.append((source, message))
            }
        }
        for (source, message) in hung { lose(source, message, at: now) }
        return hung.map { .restart($0.source, message: $0.message) }
    }

    private mutating func begin(_ tick: Tick, at now: Deadline.Instant) -> Action? {
        let probing = breaker.probingFailure(for: tick.pricedSymbol)
        let id = pending.append(
            PendingTick(tick, of: names.count, limits: limits, probing: probing, at: now))
        touched.append(id)
        return ask(0, for: id, within: limits.timeout, at: now)
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
        // An opinion may decide an older tick as well.
        if opinion != nil, let oldest = pending.firstUnanswered(of: reading.subject) {
            touched.append(oldest)
        }
        guard let answered = pending.first(answeredBy: reading, from: source) else { return }
        touched.append(answered)
        pending[answered].record(reading, opinion, from: source)
        recordOutcome(of: source, in: pending[answered], at: now)
    }

    private func opinion(in reading: Reading, of source: Int) -> Opinion? {
        guard reading.isFresh, let quote = reading.quote, let name = reading.source else { return nil }
        return Opinion(quote, from: name, isOwn: names[source] != storeName)
    }

    private mutating func lose(_ source: Int, _ message: String, at now: Deadline.Instant) {
        silences.recordEnd(of: source)
        for id in pending.ids where pending.contains(id) && pending[id].awaits(source) {
            touched.append(id)
            fail(source, in: id, Failure(source: names[source], kind: .exited, message: message), at: now)
        }
    }

    private mutating func fail(
        _ source: Int, in id: Int, _ failure: Failure, at now: Deadline.Instant
    ) {
        pending[id].record(failure, of: source)
        recordOutcome(of: source, in: pending[id], at: now)
    }

    /// Candles do not count: those of a burst fail together, and some of them have no price at any time.
    private mutating func recordOutcome(of source: Int, in tick: PendingTick, at now: Deadline.Instant) {
        guard source == 0, tick.subject.candle == nil else { return }
        breaker.record(tick.primaryOutcome(at: now, opinions), for: tick.subject.symbol)
    }

    /// Asks the fallbacks of each tick that needs them, and decides each tick that can be decided.
    private mutating func askFallbacks(at now: Deadline.Instant) -> [Action] {
        var actions: [Action] = []
        for id in touched where pending[id].reading == nil {
            repeat {
                for source in pending[id].startFallbacks(at: now) {
                    let timeout = pending[id].timeLeft(at: now)
                    if let ask = ask(source, for: id, within: timeout, at: now) { actions.append(ask) }
                }
                let outcome = pending[id].decide(at: now, &opinions)
                breaker.record(outcome, for: pending[id].subject.symbol)
            } while pending[id].needsOthers
        }
        return actions
    }

    /// - Returns: nil for a source in its cooldown; the tick has its failure then.
    private mutating func ask(
        _ source: Int, for id: Int, within timeout: Duration, at now: Deadline.Instant
    ) -> Action? {
        if let failure = cooldowns.failure(of: source, for: pending[id].subject, at: now) {
            fail(source, in: id, failure, at: now)
            return nil
        }
        if pending[id].subject.candle == nil { warmUp.recordAsked(source, at: now) }
        return .ask(source, pending[id].tick.limited(to: timeout))
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
        for id in touched where pending.contains(id) {
            answers += pending.takeReadings(of: pending[id].subject).map { .answer($0) }
            pending.removeIfFinished(id)
        }
        return answers
    }
}

extension Tick {
    /// The tick as a source gets it.
    fileprivate func limited(to timeout: Duration) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: timeout)
    }
}
