import PipeCommon

/// How long is waited for whom, from the tick on. Nothing outlasts the budget.
struct TimeLimits: Equatable, Sendable {
    /// What the primary has to answer.
    let timeout: Duration
    /// What all sources together have.
    let budget: Duration
    /// When the fallbacks are asked although the primary may still answer.
    let hedge: Duration

    init(timeout: Duration, budget: Duration, hedge: Duration) {
        self.timeout = min(timeout, budget)
        self.budget = budget
        self.hedge = min(hedge, self.timeout)
    }

    /// The same, but for when the fallbacks are asked.
    func hedged(after hedge: Duration) -> TimeLimits {
        TimeLimits(timeout: timeout, budget: budget, hedge: hedge)
    }
}
