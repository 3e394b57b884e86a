import PipeCommon

/// Decides when each source is queried and which reading answers a tick. A pure state machine that turns events and
/// times into actions.
struct FallbackPolicy {
    typealias Instant = Deadline.Instant

    enum Event {
        /// A tick was read. It has a number and a time.
        case tick(Tick)
        case reading(Reading, from: Int)
        /// A source ended, could not be queried, or broke the protocol.
        case lost(Int, message: String)
    }

    enum Action: Equatable {
        /// Send this tick to a source. The tick's timeout is the time that is left for the source's answer.
        case ask(Int, Tick)
        case answer(Reading)
        /// Restart a source that hangs. Its failure has already been recorded for the ticks that waited for it.
        case restart(Int, message: String)
    }

    /// A message to report about a source.
    struct Notice: Equatable {
        let source: Int
        let text: String
    }

    /// The maximum age of a current price at the time of its tick, in milliseconds. A source that sends an older price
    /// must be wrong, unless the price comes from a store.
    private static let oldest = 365 * 86_400_000

    private let limits: TimeLimits
    /// The time limits of ticks for candles.
    private let candleLimits: TimeLimits
    private let trip: Int
    /// Selects the middle quote; nil without `--median`.
    private let median: Median?
    private var sources: [SourceState]
    private var warmUp: WarmUp
    private var opinionPace = OpinionPace()
    private var subjects: Subjects
    private var pending = PendingTicks()
    /// The ids of the pending ticks that the current call to `handle` affects.
    private var touched: [Int] = []
    private var actions: [Action] = []
    private var notices: [Notice] = []

    /// - Parameters:
    ///   - names: the initial name of each source, the primary first.
    ///   - trip: the number of failures in a row after which the primary is only probed; 0 disables this.
    ///   - agree: the allowed difference between two sources' quotes; nil if every difference is allowed.
    ///   - usesMedian: whether ticks for current prices are answered with the middle quote (see `Median`). If so,
    ///     `trip` is ignored.
    init(names: [String], limits: TimeLimits, trip: Int, agree: Tolerance?, usesMedian: Bool) {
        candleLimits = limits
        self.limits =
            usesMedian ? TimeLimits(timeout: limits.timeout, budget: limits.timeout, hedge: .zero) : limits
        self.trip = usesMedian ? 0 : trip
        median = usesMedian ? Median(tolerance: agree) : nil
        // With `--median`, the quotes for current prices are compared by `Median` instead of `Opinions`.
        let agree = usesMedian ? nil : agree
        sources = names.map(SourceState.init)
        warmUp = WarmUp(limits: self.limits)
        subjects = Subjects(sources: names.count, agree: agree)
    }

    /// The number of ticks without an answer.
    var pendingCount: Int { pending.unansweredCount }

    /// The number of ticks from the oldest unfinished tick to the newest tick (see `PendingTick.isFinished`).
    var rememberedCount: Int { pending.ids.count }

    /// The deadline for the next call to `handle`; nil if no time limit is running.
    var nextDeadline: Deadline? { mutating get { pending.nextDeadline } }

    /// Applies the time limits that have expired by `now`, then handles the events in order.
    mutating func handle(_ events: [Event] = [], at now: Instant) -> [Action] {
        touched.removeAll(keepingCapacity: true)
        timeOut(at: now)
        var (beat, number): ([Int], Int?) = ([], nil)
        for event in events {
            switch event {
            case .tick(let tick):
                let id = begin(tick, at: now)
                // `askFallbacksEarly` sends only ticks for current prices. A request for a candle would be too
                // expensive just to keep a connection open, and it might use a different connection.
                if tick.candle == nil {
                    beat.append(id)
                    number = tick.number
                }
            case .reading(let reading, let source): receive(reading, from: source, at: now)
            case .lost(let source, let message): lose(source, message, at: now)
            }
        }
        touched.sort()
        for id in touched { decide(id, at: now) }
        if !beat.isEmpty { askFallbacksEarly(beat, ofBeat: number, at: now) }
        for id in touched where pending.contains(id) {
            answer(pending[id].subject)
            // Even an answered tick is kept until every source that it awaits has answered or failed.
            pending.removeIfFinished(id)
        }
        defer { actions = [] }
        return actions
    }

    /// Returns the notices added since the last call.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// Postpones the deadlines of all pending ticks after a suspension.
    mutating func postponeDeadlines(by gap: Duration) {
        pending.postponeDeadlines(by: gap)
    }

    private mutating func touch(_ id: Int) {
        if touched.last != id { touched.append(id) }
    }

    // MARK: events

    private mutating func timeOut(at now: Instant) {
        // For each source that is late in answering ticks for current prices, the beats of these ticks.
        var silent: [Int: [Int?]] = [:]
        for id in pending.takeDue(at: now) {
            touched.append(id)
            for (source, limit) in pending[id].lateSources(at: now) {
                let message = "no answer within \(limit.milliseconds) ms"
                fail(
                    source, in: id, Failure(source: sources[source].name, kind: .timeout, message: message),
                    at: now)
                // Ticks for candles are not counted: they are sent together even if their numbers differ, so a number
                // does not identify a beat.
                let tick = pending[id].tick
                if tick.candle == nil, silent[source]?.last != tick.number {
                    silent[source, default: []].append(tick.number)
                    report(source, tick.number, message)
                }
            }
        }
        for source in sources.indices {
            let beat = silent[source]?.last {
                !sources[source].hang.hasSeen($0) && !pending.awaits(source, in: $0)
            }
            if let beat, let message = sources[source].hang.record(beat) {
                actions.append(.restart(source, message: message))
                if let hint = sources[source].hang.takeHint() {
                    notices.append(Notice(source: source, text: hint))
                }
            }
        }
        for case .restart(let source, let message) in actions { lose(source, message, at: now) }
    }

    private mutating func report(_ source: Int, _ beat: Int?, _ message: String) {
        if sources[source].lateness.record(beat) { notices.append(Notice(source: source, text: message)) }
    }

    private mutating func begin(_ tick: Tick, at now: Instant) -> Int {
        // The primary's outcomes for the symbol's current price decide whether the primary is only probed, even if
        // this tick requests a candle.
        let symbol = subjects.known(Subject(tick.pricedSymbol))
        let probing = symbol.flatMap { subjects[$0].primary.probingFailure(after: trip) }
        let subject = subjects.place(of: tick.subject) { pending.hasTicks(of: $0) }
        let id = pending.append(
            PendingTick(
                tick, subject, of: sources.count, limits: tick.candle == nil ? limits : candleLimits,
                probing: probing, at: now))
        touched.append(id)
        ask(0, for: id, within: limits.timeout, at: now)
        return id
    }

    /// The reason why a reading's quote is rejected: a wrong currency, or a timestamp more than a year before the tick;
    /// otherwise nil. Quotes marked as stored and the quotes of candles may have any age.
    ///
    /// - Parameter at: the time of the tick; nil if it is not known.
    private static func problem(of reading: Reading, at: Timestamp?) -> String? {
        guard let quote = reading.quote else { return nil }
        if let expected = reading.pricedSymbol.currencyOfPair, quote.currency != expected {
            return "the price is in \(quote.currency.text), not \(expected.text)"
        }
        if let at, reading.candle == nil, !reading.isStored,
            at.milliseconds - quote.timestamp.milliseconds > oldest
        {
            return "the price is from \(quote.timestamp.text.prefix(10)), more than a year before the tick"
        }
        return nil
    }

    /// Records a reading for the oldest tick that it answers. A reading that no tick awaits, for example because it is
    /// late, does not answer any tick.
    private mutating func receive(_ reading: Reading, from source: Int, at now: Instant) {
        var reading = reading
        let name = reading.source ?? sources[source].name
        let subject = subjects.place(of: reading)
        let answered = subject.flatMap { pending.first(answeredBy: reading, on: $0, from: source) }
        if let words = Self.problem(of: reading, at: answered.flatMap { pending[$0].tick.at } ?? reading.at) {
            reading.quote = nil
            reading.failures.append(Failure(source: name, kind: .invalidData, message: words))
        }
        sources[source].record(reading)
        guard let subject else { return }
        subjects[subject].cooldowns.record(reading, from: source, at: now)
        subjects[subject].secondOpinion.record(reading, from: source)
        let opinion = Opinion(reading)
        if let opinion {
            subjects[subject].opinions.record(opinion, of: source, at: now)
            // The new opinion may make it possible to decide the oldest unanswered tick of the same subject.
            if let oldest = pending.firstUnanswered(of: subject) { touch(oldest) }
        }
        guard let answered else { return }
        touch(answered)
        if opinion != nil {
            sources[source].lateness.end()
        } else if let failure = reading.failures.first, reading.candle == nil {
            if failure.kind == .timeout { report(source, reading.tick, failure.message) }
            if failure.kind == .network { sources[source].lateness.isReported = true }
        }
        pending[answered].record(reading, opinion, from: source, named: name)
        recordOutcome(of: source, in: answered, at: now)
    }

    private mutating func lose(_ source: Int, _ message: String, at now: Instant) {
        sources[source].hang.endOfSource()
        for id in pending.ids where pending.contains(id) && pending[id].awaits(source) {
            touched.append(id)
            fail(
                source, in: id, Failure(source: sources[source].name, kind: .exited, message: message),
                at: now)
        }
    }

    private mutating func fail(_ source: Int, in id: Int, _ failure: Failure, at now: Instant) {
        pending[id].record(failure, of: source)
        recordOutcome(of: source, in: id, at: now)
    }

    /// Records whether the primary has succeeded. Ticks for candles do not count: many of them are sent together and
    /// fail together, and some candles never have a price.
    private mutating func recordOutcome(of source: Int, in id: Int, at now: Instant) {
        guard source == 0, pending[id].tick.candle == nil else { return }
        let subject = pending[id].subject
        let outcome = pending[id].primaryOutcome(subjects[subject].opinions, at: now)
        subjects[subject].primary.record(outcome)
    }

    // MARK: actions

    /// Queries the fallbacks if the tick needs them. Then decides on the tick's reading if possible.
    private mutating func decide(_ id: Int, at now: Instant) {
        guard pending[id].reading == nil else { return }
        let subject = pending[id].subject
        repeat {
            if pending[id].needsFallbacks(at: now) {
                let left = pending[id].timeLeft(at: now)
                for source in sources.indices where pending[id].isUnasked(source) {
                    pending[id].setAwaited(source)
                    ask(source, for: id, within: left, at: now)
                }
            }
            if let median, pending[id].tick.candle == nil {
                return pending[id].decide(by: median, among: voices, at: now)
            }
            let outcome = pending[id].decide(&subjects[subject].opinions, at: now)
            subjects[subject].primary.record(outcome)
        } while pending[id].needsOthers
    }

    /// The number of sources that count for the median. Sources with the same `quotedName` count as one source. With
    /// several sources, the result is at least 2, so that a single quote is never a majority.
    private var voices: Int {
        let names = sources.compactMap(\.quotedName)
        return max(Set(names).count + sources.count - names.count, min(2, sources.count))
    }

    /// Queries a source. During the source's cooldown, records the failure that caused the cooldown instead.
    private mutating func ask(_ source: Int, for id: Int, within timeout: Duration, at now: Instant) {
        if let failure = subjects[pending[id].subject].cooldowns.failure(of: source, at: now) {
            return fail(source, in: id, failure, at: now)
        }
        if pending[id].tick.candle == nil { sources[source].lastAsked = now }
        actions.append(.ask(source, pending[id].tick.limited(to: timeout)))
    }

    /// Queries fallbacks although no tick needs their quotes, to keep the connections of idle fallbacks open and to get
    /// second opinions on the symbols' prices.
    ///
    /// - Parameters:
    ///   - ids: the ids of the ticks for current prices that were just read.
    ///   - number: the number of the last of these ticks.
    private mutating func askFallbacksEarly(_ ids: [Int], ofBeat number: Int?, at now: Instant) {
        // If the primary is a store, the pipeline is meant to save requests, so no extra requests are made.
        if sources[0].isStore || sources.count == 1 || median != nil { return }
        let first = opinionPace.record(ids.count, ofBeat: number, at: now)
        for (place, id) in ids.enumerated().dropFirst(max(0, opinionPace.turn - first))
        where opinionPace.left > 0 && pending.contains(id) {
            let subject = pending[id].subject
            guard subjects[subject].opinions.needsSecond(at: now) else { continue }
            // Sources that were already queried for this tick or are in a cooldown are not queried.
            let cooldowns = subjects[subject].cooldowns
            let source = subjects[subject].secondOpinion.next(
                after: subject, of: sources.count, patience: limits.budget, at: now
            ) { pending[id].isUnasked($0) && cooldowns.failure(of: $0, at: now) == nil }
            guard let source else { continue }
            askEarly(source, pending[id].tick, at: now)
            opinionPace.use(for: first + place)
        }
        let due = warmUp.due(&sources, at: now)
        guard !due.isEmpty else { return }
        let id = warmUp.nextTurn(among: ids)
        guard pending.contains(id) else { return }
        for source in due
        where subjects[pending[id].subject].cooldowns.failure(of: source, at: now) == nil
            && pending[id].isUnasked(source)
            && subjects[pending[id].subject].secondOpinion.take(source, at: now)
        {
            askEarly(source, pending[id].tick, at: now)
        }
    }

    private mutating func askEarly(_ source: Int, _ tick: Tick, at now: Instant) {
        sources[source].lastAsked = now
        actions.append(.ask(source, tick.limited(to: limits.budget)))
    }

    /// Answers a subject's ticks in order, up to the first undecided tick.
    private mutating func answer(_ subject: Int) {
        while let id = pending.firstUnanswered(of: subject), let reading = pending[id].reading {
            actions.append(.answer(reading))
            pending.recordAnswered(id)
        }
    }
}

extension Tick {
    /// The same tick with a time limit for a source's answer.
    fileprivate func limited(to timeout: Duration) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: timeout)
    }
}
