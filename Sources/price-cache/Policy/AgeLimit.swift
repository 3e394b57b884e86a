import PipeCommon

/// How old a stored quote may be to stand in for a new one. At the limit itself it is too old.
struct AgeLimit: Sendable {
    private let limit: Duration?

    /// - Parameter limit: nil keeps every quote.
    init(_ limit: Duration?) {
        self.limit = limit
    }

    func allows(_ quote: Quote, at now: Timestamp) -> Bool {
        guard let limit else { return true }
        return now < quote.timestamp + limit
    }
}
