import PipeCommon

/// The daily closing prices of one symbol, in UTC. Pure.
struct DayCloses {
    /// A quote received within this time before midnight may serve as the day's close.
    private static let lastMinute = Duration.seconds(60)
    private static let kept = 3

    /// The closes of the latest days, by the end of the day: from candles, and from the last new quotes before
    /// midnight.
    private var candles: [Timestamp: Reading] = [:]
    private var quotes: [Timestamp: Reading] = [:]

    /// - Parameter reading: a day candle, or a new quote.
    mutating func record(_ reading: Reading) {
        guard let quote = reading.quote else { return }
        if reading.candle != nil {
            guard let end = reading.candleEnd, reading.isEndedCandle else { return }
            // Right after its end a candle may still change: a later timestamp takes precedence.
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

    /// The change of a quote since the previous day's close of the same source, market and currency.
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
