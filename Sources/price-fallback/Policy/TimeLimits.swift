import PipeCommon

/// The time limits of a tick, counted from the moment when it was read. No limit is longer than the budget.
struct TimeLimits: Equatable, Sendable {
    /// The kinds of limits, from the earliest to the latest.
    enum Kind: Int, CaseIterable {
        case hedge
        case timeout
        case budget
    }

    /// The time limit of the primary.
    let timeout: Duration
    /// The time limit of all sources together.
    let budget: Duration
    /// How long a tick waits for the primary before the fallbacks are queried; at most `timeout`. If this time equals
    /// the budget, a tick is not sent to the fallbacks merely because the primary is slow.
    let hedge: Duration

    init(timeout: Duration, budget: Duration, hedge: Duration) {
        self.timeout = min(timeout, budget)
        self.budget = budget
        self.hedge = min(hedge, self.timeout)
    }

    /// The same limits with another hedge time.
    func hedged(after hedge: Duration) -> TimeLimits {
        TimeLimits(timeout: timeout, budget: budget, hedge: hedge)
    }

    subscript(limit: Kind) -> Duration {
        switch limit {
        case .hedge: hedge
        case .timeout: timeout
        case .budget: budget
        }
    }
}
