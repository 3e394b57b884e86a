import PipeCommon

/// Detects that the primary has failed for several ticks of one symbol in a row, and should only be probed.
/// Pure.
struct CircuitBreaker {
    /// The result of asking the primary in one tick.
    enum Outcome {
        /// Not known yet, or irrelevant.
        case pending
        case succeeded
        case failed(Failure)
    }

    private var failures = 0
    private var last: Failure?

    /// - Parameter limit: the number of failures in a row; 0 disables the breaker.
    /// - Returns: the failure to report for a primary that is only probed; nil when the primary is waited for.
    func probingFailure(after limit: Int) -> Failure? {
        guard limit > 0, failures >= limit, let last else { return nil }
        return Failure(
            source: last.source, kind: last.kind, message: "not waited for after \(limit) failures in a row")
    }

    /// Records an outcome. A failure counts unless it is `expired`, from a primary that is a store: that
    /// answer is immediate, and the fallbacks must not be asked without need. After a success, the primary is
    /// waited for again.
    mutating func record(_ outcome: Outcome) {
        switch outcome {
        case .pending: break
        case .failed(let failure) where failure.kind == .expired: break
        case .failed(let failure): (failures, last) = (failures + 1, failure)
        case .succeeded: if failures > 0 { self = CircuitBreaker() }
        }
    }
}
