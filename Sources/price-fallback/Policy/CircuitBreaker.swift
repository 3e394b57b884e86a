import PipeCommon

/// Which symbols' primary is only probed: one that has failed so many ticks in a row. Pure.
struct CircuitBreaker {
    /// Failures in a row that trip it; 0 never does.
    private let limit: Int
    private var failures: [Symbol: (count: Int, last: Failure)] = [:]

    init(after limit: Int) {
        self.limit = limit
    }

    /// What is said for a primary that is not waited for; nil while it is waited for.
    func probing(_ symbol: Symbol) -> Failure? {
        guard limit > 0, let (count, last) = failures[symbol], count >= limit else { return nil }
        return Failure(
            source: last.source, kind: last.kind, message: "probed only, after \(limit) failures in a row")
    }

    /// - Parameter failure: nil when the primary has answered in time: from then on it is waited for again.
    mutating func note(_ failure: Failure?, for symbol: Symbol) {
        guard let failure else {
            failures[symbol] = nil
            return
        }
        let count = failures[symbol]?.count ?? 0
        failures[symbol] = (min(count + 1, limit), failure)
    }
}
