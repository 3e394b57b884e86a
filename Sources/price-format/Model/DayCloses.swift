import PipeCommon

/// The prices of one symbol at which days ended, in UTC. Pure.
struct DayCloses {
    /// A quote that is received this long before midnight, in milliseconds, may serve as the day's close.
    private static let lastMinute = 60_000
    private static let kept = 3

    /// By the end of the day, the latest ones.
    private var candles: [Timestamp: Quote] = [:]
    /// The last new quote that was received within a minute before a midnight.
    private var last: Reading?

    /// - Parameter reading: a candle of a day, or a new quote.
    mutating func record(_ reading: Reading) {
        guard let quote = reading.quote else { return }
        if reading.candle != nil {
            guard let end = reading.candleEnd, reading.isEndedCandle else { return }
            // Right after its end, a candle is not closed for good.
            if let known = candles[end], known.timestamp > quote.timestamp { return }
            candles[end] = quote
            while candles.count > Self.kept, let first = candles.keys.min() { candles[first] = nil }
        } else if Self.midnight(before: quote.timestamp + .milliseconds(Self.lastMinute)) > quote.timestamp {
            last = reading
        }
    }

    /// The change of a quote against the close of the day before its own.
    ///
    /// - Returns: hundredths of a percent; nil if there is no such close.
    func today(_ reading: Reading) -> Int? {
        guard let quote = reading.quote else { return nil }
        let midnight = Self.midnight(before: quote.timestamp)
        if let candle = candles[midnight], candle.currency == quote.currency {
            return Price.hundredths(from: candle.price, to: quote.price)
        }
        // Not a candle of the source but a quote of it: it must be of the same source and market.
        guard let last, let close = last.quote, PriceChange.areComparable(last, reading),
            close.timestamp < midnight,
            Self.midnight(before: close.timestamp + .milliseconds(Self.lastMinute)) == midnight
        else { return nil }
        return Price.hundredths(from: close.price, to: quote.price)
    }

    private static func midnight(before time: Timestamp) -> Timestamp {
        Candle.day.beginning(of: time)
    }
}
