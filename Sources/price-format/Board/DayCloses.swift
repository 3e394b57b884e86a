import PipeCommon

/// The prices of one symbol at which days ended, in UTC. Pure.
struct DayCloses {
    /// A quote that is received this long before midnight may serve as the day's close.
    private static let lastMinute = Duration.seconds(60)
    private static let kept = 3

    /// By the end of the day, those of the latest days: candles, and the last new quotes within a minute before midnight.
    private var candles: [Timestamp: Reading] = [:]
    private var quotes: [Timestamp: Reading] = [:]

    /// - Parameter reading: a candle of a day, or a new quote.
    mutating func record(_ reading: Reading) {
        guard let quote = reading.quote else { return }
        if reading.candle != nil {
            guard let end = reading.candleEnd, reading.isEndedCandle else { return }
            // Right after its end, a candle is not closed for good.
            if let known = candles[end]?.quote, known.timestamp > quote.timestamp { return }
            Self.keep(reading, in: &candles, end)
        } else {
            let midnight = Candle.day.beginning(of: quote.timestamp + Self.lastMinute)
            if midnight > quote.timestamp { Self.keep(reading, in: &quotes, midnight) }
        }
    }

    private static func keep(_ reading: Reading, in closes: inout [Timestamp: Reading], _ end: Timestamp) {
        closes[end] = reading
        while closes.count > kept, let first = closes.keys.min() { closes[first] = nil }
    }

    /// The change of a quote against the close of the day before its own, of the same source, market and currency.
    ///
    /// - Returns: hundredths of a percent; nil if there is no such close.
    func today(_ reading: Reading) -> Int? {
        guard let quote = reading.quote else { return nil }
        let midnight = Candle.day.beginning(of: quote.timestamp)
        let close = [candles[midnight], quotes[midnight]].compactMap { $0 }
            .first { PriceChange.areComparable($0, reading) }
        return close?.quote.flatMap { Price.hundredths(from: $0.price, to: quote.price) }
    }
}
