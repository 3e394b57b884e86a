import PipeCommon

/// The candles of one symbol, as far back as the longest chart goes. Pure.
struct CandlePrices {
    /// The number of candles that the longest chart needs.
    private static let most = ChartRange.year.count

    /// The last price of each candle, by its length and its beginning.
    private var quotes: [Candle: [Timestamp: Quote]] = [:]

    mutating func record(_ reading: Reading) {
        guard let candle = reading.candle, let at = reading.at, let quote = reading.quote,
            reading.candleEnd != nil
        else { return }
        // Right after its end a candle may still change, and a stored price may be that of an open one: a later
        // timestamp takes precedence.
        if let known = quotes[candle]?[at], known.timestamp > quote.timestamp { return }
        quotes[candle, default: [:]][at] = quote
        if quotes[candle]!.count > 2 * Self.most {
            let kept = quotes[candle]!.keys.sorted().suffix(Self.most)
            quotes[candle] = quotes[candle]!.filter { $0.key >= kept.first! }
        }
    }

    /// The last known price of the candle that begins at a time.
    subscript(candle: Candle, time: Timestamp) -> Quote? { quotes[candle]?[time] }

    /// Whether the price of the candle that begins at a time is its closing price.
    func hasEnded(_ candle: Candle, _ time: Timestamp) -> Bool {
        guard let quote = self[candle, time] else { return false }
        return quote.timestamp >= time + candle.length + .milliseconds(-1)
    }

    /// The beginning of the newest candle with a known closing price.
    func newestEnded(_ candle: Candle) -> Timestamp? {
        quotes[candle]?.keys.filter { hasEnded(candle, $0) }.max()
    }
}
