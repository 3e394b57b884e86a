import PipeCommon

/// Decides which of two quotes is newer, even if the clock was wrong for a while. Pure.
enum Recency {
    /// Correct clocks differ by no more than this.
    private static let clockSkew = Duration.seconds(60)

    /// Whether a new quote replaces a stored one of the same symbol or candle. The quote of a closed candle
    /// is never replaced.
    static func isReplaced(_ stored: StoredQuote, by new: StoredQuote, at now: Timestamp) -> Bool {
        if stored.isClosed || new.isClosed { return !stored.isClosed }
        return !isNewer(stored.quote, than: new.quote, at: now)
    }

    /// Whether a stored quote was received later than a new one, which must then not replace it.
    ///
    /// A stored quote from the future is not newer than a current one: the clock was wrong when it was
    /// stored.
    static func isNewer(_ stored: Quote, than new: Quote, at now: Timestamp) -> Bool {
        let isNewCurrent = now <= new.timestamp + clockSkew && new.timestamp <= now + clockSkew
        return stored.timestamp > new.timestamp && !(isNewCurrent && isFromFuture(stored, at: now))
    }

    /// Whether a quote was received while the clock was wrong, so that its age is unknown.
    static func isFromFuture(_ quote: Quote, at now: Timestamp) -> Bool {
        quote.timestamp > now + clockSkew
    }
}

/// Decides whether a stored quote is recent enough to be shown. A quote that has reached the limit is too
/// old, and a quote from the future is rejected, because its age is unknown. The closing price of a candle
/// does not age. Pure.
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
