import PipeCommon

/// How current a quote is.
enum Validity: Equatable {
    /// The closing price of a candle. Also a new price of a candle that has ended, if the price's time is at or after
    /// the candle's end.
    case closed
    /// A new price of a candle that has not ended.
    case open
    /// Any other new price, unless it is the price of a candle with a known beginning.
    case current
    /// An older price, shown because no new price arrived, or a price of a candle that has ended, unless the price
    /// counts as `closed`.
    case stale
}

extension Reading {
    /// The age at which a quote becomes old, unless its validity is `closed`.
    private static let oldAge = Duration.seconds(3600)

    /// - Returns: nil if there is no quote.
    func validity(at now: Timestamp) -> Validity? {
        if quote == nil { return nil }
        if isClosed { return .closed }
        guard let candle, let at else { return isFresh ? .current : .stale }
        guard isFresh else { return .stale }
        return now < at + candle.length ? .open : isEndedCandle ? .closed : .stale
    }

    /// Whether the quote is missing, stale or old. A quote becomes old when its age reaches an hour or, if its validity
    /// is `closed`, the length of its candle.
    func isOutOfDate(at now: Timestamp) -> Bool {
        guard let quote, let validity = validity(at: now), validity != .stale else { return true }
        let limit = validity == .closed ? candle?.length ?? Self.oldAge : Self.oldAge
        return now >= quote.timestamp + limit
    }
}

extension Reading {
    /// Whether the price's time is at or after the end of its candle. Unless `isClosed` is also true, the price may
    /// still change.
    var isEndedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return quote.timestamp >= candleEnd
    }

    /// The end of the reading's candle; nil if the reading has no candle or no time, or if no candle begins at this
    /// time.
    var candleEnd: Timestamp? {
        guard let candle, let at, candle.beginning(of: at) == at else { return nil }
        return at + candle.length
    }
}
