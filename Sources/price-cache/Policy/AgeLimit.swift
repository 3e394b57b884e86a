import PipeCommon

/// Decides whether a stored quote is recent enough to be shown. A quote as old as the limit is not, and neither is one
/// from the future, whose age is unknown. The closing price of a candle does not age. Pure.
struct AgeLimit: Sendable {
    private let limit: Duration?

    /// - Parameter limit: nil accepts every quote.
    init(_ limit: Duration?) {
        self.limit = limit
    }

    func allows(_ stored: StoredQuote, at now: Timestamp) -> Bool {
        stored.isClosed || allows(stored.quote, at: now)
    }

    func allows(_ quote: Quote, at now: Timestamp) -> Bool {
        guard let limit else { return true }
        return now < quote.timestamp + limit && !Recency.isFromFuture(quote, at: now)
    }
}
