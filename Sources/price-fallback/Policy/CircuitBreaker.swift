import PipeCommon

/// Knows the symbols whose primary is only probed, since it has failed in several ticks in a row. Pure.
struct CircuitBreaker {
    private let limit: Int
    private var failures: [Symbol: (count: Int, last: Failure)] = [:]

    /// - Parameter limit: the number of failures in a row; 0 disables the breaker.
    init(after limit: Int) {
        self.limit = limit
    }

    /// The failure to report for a primary that is only probed; nil when the primary is waited for.
    func probingFailure(for symbol: Symbol) -> Failure? {
        guard limit > 0, let (count, last) = failures[symbol], count >= limit else { return nil }
        return Failure(
            source: last.source, kind: last.kind, message: "not waited for after \(limit) failures in a row")
    }

    /// Counts a failure, unless the primary is a store that has only expired: such an answer is immediate, and the others
    /// must not be asked without need. After a success the primary is waited for again.
    mutating func record(_ outcome: PrimaryOutcome, for symbol: Symbol) {
        switch outcome {
        case .pending: break
        case .failed(let failure) where failure.kind == .expired: break
        case .succeeded: failures[symbol] = nil
        case .failed(let failure):
            let count = failures[symbol]?.count ?? 0
            failures[symbol] = (min(count + 1, limit), failure)
        }
    }
}
