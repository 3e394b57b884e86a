import PipeCommon

/// How current a quote is.
enum Validity: Equatable {
    /// The closing price of a candle.
    case closed
    /// The price of a candle that has not ended.
    case open
    /// A new price of a beat.
    case current
    /// An older price because there was no new price, or a price of an ended candle that is not its closing price.
    case stale
}

extension Reading {
    /// The age from which a quote is old.
    private static let oldAge = Duration.seconds(3600)

    /// - Returns: nil without a quote.
    func validity(at now: Timestamp) -> Validity? {
        if quote == nil { return nil }
        if isClosed { return .closed }
        guard let candle, let at else { return isFresh ? .current : .stale }
        guard isFresh else { return .stale }
        return now < at + candle.length ? .open : isEndedCandle ? .closed : .stale
    }

    /// Whether the quote is missing, stale or old: at least an hour old, or a closing price after which another
    /// candle has ended.
    func isOutOfDate(at now: Timestamp) -> Bool {
        guard let quote, let validity = validity(at: now), validity != .stale else { return true }
        let limit = validity == .closed ? candle?.length ?? Self.oldAge : Self.oldAge
        return now >= quote.timestamp + limit
    }
}

extension Reading {
    /// Whether the price was received after the end of its candle. Until the candle is closed it may still change.
    var isEndedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return quote.timestamp >= candleEnd
    }

    /// The end of the reading's candle; nil for the price of a beat, and for a time at which no candle begins.
    var candleEnd: Timestamp? {
        guard let candle, let at, candle.beginning(of: at) == at else { return nil }
        return at + candle.length
    }
}
