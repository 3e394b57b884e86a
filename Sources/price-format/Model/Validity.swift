import PipeCommon

/// How far a quote can be relied on.
enum Validity: Equatable {
    /// The closing price of a candle.
    case closed
    /// The price of a candle that goes on.
    case open
    /// The price of a beat.
    case current
    /// The last known price, but not of this beat, or not the closing price of a candle that has ended.
    case stale
}

extension Reading {
    /// A quote is old from this age on.
    private static let oldAge = Duration.seconds(3600)

    /// - Returns: nil without a quote.
    func validity(at now: Timestamp) -> Validity? {
        if quote == nil { return nil }
        if isClosedCandle { return .closed }
        guard let candle, let at else { return isFresh ? .current : .stale }
        guard isFresh else { return .stale }
        return now < at + candle.length ? .open : isEndedCandle ? .closed : .stale
    }

    /// Whether the quote is missing, stale or old: an hour old, or that of a candle after which the next one has ended, too.
    func isOutOfDate(at now: Timestamp) -> Bool {
        guard let quote, let validity = validity(at: now), validity != .stale else { return true }
        let limit = validity == .closed ? candle?.length ?? Self.oldAge : Self.oldAge
        return now >= quote.timestamp + limit
    }
}
