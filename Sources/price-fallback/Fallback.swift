import PipeCommon

/// The policy: which source is asked when, and which reading answers a tick. A pure state machine: events
/// and times in, actions out.
struct Fallback {
    enum Event {
        /// A tick, with its number and time, was read.
        case tick(Tick)
        case reading(Reading, from: Int)
        /// A source's process ended, is not there, or broke the protocol.
        case lost(Int, message: String)
        /// Nothing but time has passed.
        case time
    }

    enum Action: Equatable {
        /// Hand this tick, with what is left to answer it, to a source.
        case ask(Int, Tick)
        case answer(Reading)
    }

    private let patience: Patience
    /// What each source calls itself; until it has said so, its command.
    private var names: [String]
    private var pending: [PendingTick] = []

    init(commands: [String], patience: Patience) {
        self.patience = patience
        names = commands
    }

    /// How many ticks wait for their reading.
    var pendingCount: Int { pending.count }

    /// When the machine wants to be told the time.
    var nextDeadline: Deadline? {
        pending.compactMap(\.nextDeadline).min()
    }

    mutating func handle(_ event: Event, at now: Deadline.Instant) -> [Action] {
        var asks = advance(to: now)
        switch event {
        case .tick(let tick):
            pending.append(PendingTick(tick, of: names.count, patience: patience, at: now))
            asks.append(ask(0, tick, within: patience.timeout))
        case .reading(let reading, let source): note(reading, from: source)
        case .lost(let source, let message): lose(source, message)
        case .time: break
        }
        return asks + advance(to: now) + answers()
    }

    /// The answer to the oldest tick that fits; a late, doubled or unknown answer fits none.
    private mutating func note(_ reading: Reading, from source: Int) {
        if let name = reading.source ?? reading.failures.last?.source { names[source] = name }
        let asker = pending.firstIndex { $0.isAnswered(by: reading) && $0.awaits(source) }
        if let asker { pending[asker].note(reading, from: source) }
    }

    private mutating func lose(_ source: Int, _ message: String) {
        for index in pending.indices where pending[index].awaits(source) {
            pending[index].note(Failure(source: names[source], kind: .exited, message: message), of: source)
        }
    }

    private mutating func advance(to now: Deadline.Instant) -> [Action] {
        pending.indices.flatMap { index in
            pending[index].advance(to: now, names: names).map { source, timeout in
                ask(source, pending[index].tick, within: timeout)
            }
        }
    }

    private func ask(_ source: Int, _ tick: Tick, within timeout: Duration) -> Action {
        .ask(source, Tick(number: tick.number, at: tick.at, symbol: tick.symbol, timeout: timeout))
    }

    /// The readings that are known, in the order of their symbol's ticks.
    private mutating func answers() -> [Action] {
        var answers: [Action] = []
        var waiting: Set<Symbol> = []
        pending.removeAll { tick in
            guard let reading = tick.reading, !waiting.contains(tick.symbol) else {
                waiting.insert(tick.symbol)
                return false
            }
            answers.append(.answer(reading))
            return true
        }
        return answers
    }
}
