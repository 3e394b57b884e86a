import PipeCommon

/// The policy: which source is asked when, and which reading answers a tick. A pure state machine: events
/// and times in, actions out.
struct FallbackPolicy {
    enum Event {
        /// A tick, with its number and time, was read.
        case tick(Tick)
        case reading(Reading, from: Int)
        /// A source's process ended, is not there, or broke the protocol.
        case lost(Int, message: String)
        /// Nothing but time has passed.
        case time
        /// Nothing could happen for so long: everybody was stopped.
        case asleep(Duration)
    }

    enum Action: Equatable {
        /// Hand this tick, with what is left to answer it, to a source.
        case ask(Int, Tick)
        case answer(Reading)
        /// A source hangs: end its process, so that it is started anew.
        case restart(Int)
    }

    /// A source that was silent to so many ticks in a row hangs.
    static let mostSilence = 5

    /// So many that are over may lie among those that are not.
    private static let mostOver = 64

    private let patience: TimeLimits
    /// What each source calls itself; until it has said so, its command.
    private var names: [String]
    private var silences: [Int]
    private var trip: CircuitBreaker
    private var rests = Cooldowns()
    private var warmth: WarmUp
    private var pending: [PendingTick] = []
    /// Whether a reading is known that has not gone out.
    private var hasNews = false

    /// - Parameter trip: a primary that has failed so many ticks in a row is only probed; 0: never.
    init(commands: [String], patience: TimeLimits, trip: Int = 3) {
        self.patience = patience
        self.trip = CircuitBreaker(after: trip)
        names = commands
        silences = commands.map { _ in 0 }
        warmth = WarmUp(sources: commands.count)
    }

    /// How many ticks wait for their reading.
    private(set) var pendingCount = 0

    /// When the machine wants to be told the time: not later than that.
    private(set) var nextDeadline: Deadline?

    mutating func handle(_ event: Event, at now: Deadline.Instant) -> [Action] {
        if case .asleep(let gap) = event { forget(gap) }
        var actions = nextDeadline?.hasPassed(at: now) ?? false ? advance(to: now) : []
        switch event {
        case .tick(let tick): actions += begin(tick, at: now)
        case .reading(let reading, let source): actions += note(reading, from: source, at: now)
        case .lost(let source, let message): actions += lose(source, message, at: now)
        case .time, .asleep: break
        }
        return actions + answers()
    }

    private mutating func begin(_ tick: Tick, at now: Deadline.Instant) -> [Action] {
        let probing = trip.probing(tick.pricedSymbol)
        pending.append(PendingTick(tick, of: names.count, patience: patience, probing: probing, at: now))
        pendingCount += 1
        let ask = ask(0, pending.count - 1, within: patience.timeout, at: now)
        let actions = [ask].compactMap { $0 } + advance(pending.count - 1, to: now)
        return actions
            + warmth.cold(at: now).compactMap { self.ask($0, tick, within: patience.budget, at: now) }
    }

    private mutating func forget(_ gap: Duration) {
        for index in pending.indices { pending[index].forget(gap) }
        nextDeadline = pending.compactMap(\.nextDeadline).min()
    }

    /// The answer to the oldest tick that fits; a late, doubled or unknown answer fits none.
    private mutating func note(_ reading: Reading, from source: Int, at now: Deadline.Instant) -> [Action] {
        silences[source] = 0
        if let name = reading.source ?? reading.failures.last?.source { names[source] = name }
        let asker = pending.indices.first {
            // The number alone tells most of them apart.
            pending[$0].tick.number == reading.tick && pending[$0].isAnswered(by: reading)
                && pending[$0].awaits(source)
        }
        let plain = rests.note(reading, from: source, at: now)
        guard let asker else { return [] }
        pending[asker].note(plain, from: source)
        noteOutcome(of: source, in: pending[asker])
        return advance(asker, to: now)
    }

    private mutating func lose(_ source: Int, _ message: String, at now: Deadline.Instant) -> [Action] {
        silences[source] = 0
        for index in pending.indices where pending[index].awaits(source) {
            pending[index].note(Failure(source: names[source], kind: .exited, message: message), of: source)
            noteOutcome(of: source, in: pending[index])
        }
        return advance(to: now)
    }

    /// Lets the time run in each tick, in their order.
    private mutating func advance(to now: Deadline.Instant) -> [Action] {
        nextDeadline = nil
        return pending.indices.flatMap { advance($0, to: now) }
    }

    /// Lets the time run in one tick.
    private mutating func advance(_ index: Int, to now: Deadline.Instant) -> [Action] {
        var actions: [Action] = []
        var hasMore = true
        while hasMore {
            let (asked, silent) = pending[index].advance(to: now, names: names)
            for source in silent {
                noteOutcome(of: source, in: pending[index])
                silences[source] += 1
                if silences[source] == Self.mostSilence { actions.append(.restart(source)) }
            }
            let asks = asked.compactMap { ask($0.source, index, within: $0.timeout, at: now) }
            actions += asks
            hasMore = asks.count < asked.count
        }
        if let next = pending[index].nextDeadline { nextDeadline = min(nextDeadline ?? next, next) }
        hasNews = hasNews || pending[index].reading != nil
        return actions
    }

    private mutating func noteOutcome(of source: Int, in tick: PendingTick) {
        if source == 0, let outcome = tick.primaryOutcome { trip.note(outcome, for: tick.symbol) }
    }

    /// - Returns: nil for a source that is left alone: its tick has failed at once.
    private mutating func ask(
        _ source: Int, _ index: Int, within timeout: Duration, at now: Deadline.Instant
    ) -> Action? {
        let ask = ask(source, pending[index].tick, within: timeout, at: now)
        if ask == nil, let failure = rests.failure(of: source, at: now) {
            pending[index].note(failure, of: source)
            noteOutcome(of: source, in: pending[index])
        }
        return ask
    }

    /// - Returns: nil for a source that is left alone.
    private mutating func ask(
        _ source: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant
    ) -> Action? {
        guard rests.failure(of: source, at: now) == nil else { return nil }
        warmth.asked(source, at: now)
        return .ask(source, Tick(number: tick.number, at: tick.at, symbol: tick.symbol, timeout: timeout))
    }

    /// The readings that are known, in the order of their symbol's ticks.
    private mutating func answers() -> [Action] {
        guard hasNews else { return [] }
        hasNews = false
        var answers: [Action] = []
        // Few, so that to look through them is faster than a set.
        var waiting: [Symbol] = []
        for index in pending.indices where !pending[index].isTold {
            let symbol = pending[index].symbol
            if waiting.contains(symbol) { continue }
            if let reading = pending[index].tell() {
                pendingCount -= 1
                answers.append(.answer(reading))
            } else {
                waiting.append(symbol)
            }
        }
        forgetOver()
        return answers
    }

    /// Some at a time: to take away one of many moves all the others.
    private mutating func forgetOver() {
        guard pendingCount == 0 || pending.count >= pendingCount + Self.mostOver else { return }
        pending.removeAll(where: \.isOver)
        if pending.isEmpty { nextDeadline = nil }
    }
}
