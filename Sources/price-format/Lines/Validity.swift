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

extension Reading {
    /// Whether this is the closing price of a candle that has ended: such a quote has the time of its end.
    var isClosedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return quote.timestamp == candleEnd
    }

    /// Whether the price was received after the end of its candle. Until the candle is closed for good, such a quote has the
    /// last millisecond before the end.
    var isEndedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return isClosedCandle || quote.timestamp == candleEnd + .milliseconds(-1)
    }

    /// Nil for the price of a beat, and for a time at which no candle begins.
    var candleEnd: Timestamp? {
        guard let candle, let at, candle.beginning(of: at) == at else { return nil }
        return at + candle.length
    }
}
