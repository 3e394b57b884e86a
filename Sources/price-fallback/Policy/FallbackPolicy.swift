import PipeCommon

/// Decides which source is asked when, and which reading answers a tick. A pure state machine: events and
/// times in, actions out.
struct FallbackPolicy {
    typealias Instant = Deadline.Instant

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

    /// What is to be reported of a source.
    struct Notice: Equatable {
        let source: Int
        let text: String
    }

    private let limits: TimeLimits
    private let trip: Int
    /// The name of each source in its own readings; an initial one until the first of them.
    private var names: [String]
    private var silences: [Silence]
    private var lateness: [Lateness]
    private var warmUp: WarmUp
    private var subjects: Subjects
    private var pending = PendingTicks()
    /// The pending ticks that the events of this call concern.
    private var touched: [Int] = []
    private var actions: [Action] = []
    private var notices: [Notice] = []

    /// - Parameters:
    ///   - names: what each source is called before its first reading, the primary first.
    ///   - trip: the number of failures in a row after which a primary is only probed; 0 disables.
    ///   - agree: by how much the quotes of two sources may differ; nil if they are not compared.
    init(names: [String], limits: TimeLimits, trip: Int = 3, agree: Tolerance? = nil) {
        (self.limits, self.trip, self.names) = (limits, trip, names)
        silences = Array(repeating: Silence(), count: names.count)
        lateness = Array(repeating: Lateness(), count: names.count)
        warmUp = WarmUp(of: names, limits: limits)
        subjects = Subjects(sources: names.count, agree: agree)
    }

    /// The number of ticks without an answer.
    var pendingCount: Int { pending.unansweredCount }

    /// The number of ticks that are remembered: those that a source may still answer as well.
    var rememberedCount: Int { pending.ids.count }

    /// The latest time for the next call of `handle`; nil while nothing is due.
    var nextDeadline: Deadline? { mutating get { pending.nextDeadline } }

    /// Lets the time pass to `now`, then applies the events in their order.
    mutating func handle(_ events: [Event] = [], at now: Instant) -> [Action] {
        touched.removeAll(keepingCapacity: true)
        timeOut(at: now)
        var isBeat = false
        for event in events {
            switch event {
            case .tick(let tick):
                if tick.candle == nil { isBeat = true }
                begin(tick, at: now)
            case .reading(let reading, let source): receive(reading, from: source, at: now)
            case .lost(let source, let message): lose(source, message, at: now)
            }
        }
        touched.sort()
        for id in touched { decide(id, at: now) }
        if isBeat { askIdleFallbacks(events, at: now) }
        for id in touched where pending.contains(id) {
            answer(pending[id].subject)
            // It may have been answered before, and this was the last of its sources.
            pending.removeIfFinished(id)
        }
        defer { actions = [] }
        return actions
    }

    /// What is to be reported since the last call.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// Adds the time during which the program was suspended to every deadline.
    mutating func postponeDeadlines(by gap: Duration) {
        pending.postponeDeadlines(by: gap)
    }

    private mutating func touch(_ id: Int) {
        if touched.last != id { touched.append(id) }
    }

    // MARK: events

    private mutating func timeOut(at now: Instant) {
        let due = pending.takeDue(at: now)
        if due.isEmpty { return }
        // For each source the beats in which a tick was not answered.
        var silent = Array(repeating: [Int?](), count: names.count)
        for id in due {
            touched.append(id)
            for (source, limit) in pending[id].lateSources(at: now) {
                let message = "no answer within \(limit.milliseconds) ms"
                fail(
                    source, in: id, Failure(source: names[source], kind: .timeout, message: message), at: now)
                // The candles of a burst are of one moment, although each has a number of its own.
                let tick = pending[id].tick
                if tick.candle == nil, silent[source].last != tick.number {
                    silent[source].append(tick.number)
                    report(source, tick.number, message)
                }
            }
        }
        for (source, beats) in silent.enumerated() {
            let beat = beats.last { !silences[source].hasSeen($0) && !pending.awaits(source, in: $0) }
            if let beat, let message = silences[source].record(beat) {
                actions.append(.restart(source, message: message))
                if let hint = silences[source].takeHint() {
                    notices.append(Notice(source: source, text: hint))
                }
            }
        }
        for case .restart(let source, let message) in actions { lose(source, message, at: now) }
    }

    private mutating func report(_ source: Int, _ beat: Int?, _ message: String) {
        if lateness[source].record(beat) { notices.append(Notice(source: source, text: message)) }
    }

    private mutating func begin(_ tick: Tick, at now: Instant) {
        let subject = subjects.place(of: tick.subject)
        let symbol = tick.candle == nil ? subject : subjects.place(of: Subject(tick.pricedSymbol))
        let probing = subjects[symbol].primary.probingFailure(after: trip)
        let id = pending.append(
            PendingTick(tick, subject, of: names.count, limits: limits, probing: probing, at: now))
        touched.append(id)
        ask(0, for: id, within: limits.timeout, at: now)
    }

    /// Records a reading for the oldest tick that it answers. Late, duplicate and unknown ones answer none.
    private mutating func receive(_ reading: Reading, from source: Int, at now: Instant) {
        silences[source].end(in: reading.tick)
        // A store answers with the names of others.
        if let name = reading.source ?? reading.failures.last?.source, names[source] != storeName {
            names[source] = name
        }
        guard let subject = subjects.place(of: reading) else { return }
        subjects[subject].cooldowns.record(reading, from: source, at: now)
        var opinion: Opinion?
        if reading.isFresh, let quote = reading.quote, let name = reading.source {
            opinion = Opinion(quote, from: name, isOwn: names[source] != storeName)
            subjects[subject].opinions.record(opinion!, of: source, at: now)
            // An opinion may decide an older tick as well.
            if let oldest = pending.firstUnanswered(of: subject) { touch(oldest) }
        }
        guard let answered = pending.first(answeredBy: reading, on: subject, from: source) else { return }
        touch(answered)
        if opinion != nil {
            lateness[source].end()
        } else if let failure = reading.failures.first, reading.candle == nil {
            if failure.kind == .timeout { report(source, reading.tick, failure.message) }
            if failure.kind == .network { lateness[source].isReported = true }
        }
        pending[answered].record(reading, opinion, from: source)
        recordOutcome(of: source, in: answered, at: now)
    }

    private mutating func lose(_ source: Int, _ message: String, at now: Instant) {
        silences[source].endOfSource()
        for id in pending.ids where pending.contains(id) && pending[id].awaits(source) {
            touched.append(id)
            fail(source, in: id, Failure(source: names[source], kind: .exited, message: message), at: now)
        }
    }

    private mutating func fail(_ source: Int, in id: Int, _ failure: Failure, at now: Instant) {
        pending[id].record(failure, of: source)
        recordOutcome(of: source, in: id, at: now)
    }

    /// Candles do not count: those of a burst fail together, and some of them have no price at any time.
    private mutating func recordOutcome(of source: Int, in id: Int, at now: Instant) {
        guard source == 0, pending[id].tick.candle == nil else { return }
        let subject = pending[id].subject
        let outcome = pending[id].primaryOutcome(subjects[subject].opinions, at: now)
        subjects[subject].primary.record(outcome)
    }

    // MARK: actions

    /// Asks the fallbacks if the tick needs them, and decides it if it can be decided.
    private mutating func decide(_ id: Int, at now: Instant) {
        guard pending[id].reading == nil else { return }
        let subject = pending[id].subject
        repeat {
            if pending[id].needsFallbacks(at: now) {
                let left = pending[id].timeLeft(at: now)
                for source in names.indices where pending[id].isUnasked(source) {
                    pending[id].setAwaited(source)
                    ask(source, for: id, within: left, at: now)
                }
            }
            let outcome = pending[id].decide(&subjects[subject].opinions, at: now)
            subjects[subject].primary.record(outcome)
        } while pending[id].needsOthers
    }

    /// Asks a source, unless it is in its cooldown; then the tick has its failure.
    private mutating func ask(_ source: Int, for id: Int, within timeout: Duration, at now: Instant) {
        if let failure = subjects[pending[id].subject].cooldowns.failure(of: source, at: now) {
            return fail(source, in: id, failure, at: now)
        }
        if pending[id].tick.candle == nil { warmUp.recordAsked(source, at: now) }
        actions.append(.ask(source, pending[id].tick.limited(to: timeout)))
    }

    /// Asks the fallbacks that need it for the sake of their connections, and for a second opinion. The answers match no
    /// tick.
    private mutating func askIdleFallbacks(_ events: [Event], at now: Instant) {
        let due = warmUp.due(at: now)
        guard !due.isEmpty else { return }
        // A candle is too large a request for keeping a connection open, and may have one of its own.
        let tick = warmUp.nextTurn(
            among: events.compactMap {
                if case .tick(let tick) = $0, tick.candle == nil { tick } else { nil }
            })
        let subject = subjects.place(of: tick.subject)
        for source in due where subjects[subject].cooldowns.failure(of: source, at: now) == nil {
            warmUp.recordAsked(source, at: now)
            actions.append(.ask(source, tick.limited(to: limits.budget)))
        }
    }

    /// Answers the ticks of a subject in their order, as far as they are decided.
    private mutating func answer(_ subject: Int) {
        while let id = pending.firstUnanswered(of: subject), let reading = pending[id].reading {
            actions.append(.answer(reading))
            pending.recordAnswered(id)
        }
    }
}

extension Tick {
    /// The tick as a source gets it.
    fileprivate func limited(to timeout: Duration) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: timeout)
    }
}
