import PipeCommon

/// Decides which candles to request, and when: all that are needed once, and later those that have ended since. A
/// hole is not requested again. Pure.
struct CandleRequests {
    /// The time in milliseconds after which missing candles are requested again.
    private static let patience = 60_000

    private var asked: [Subject: (count: Int, at: Timestamp)] = [:]

    mutating func forget(_ symbols: Set<Symbol>) {
        asked = asked.filter { !symbols.contains($0.key.symbol) }
    }

    /// - Parameter count: how many candles are needed, including the open one.
    /// - Returns: how many candles to request now; nil for none.
    mutating func take(
        _ candle: Candle, _ count: Int, of symbol: Symbol, in candles: CandlePrices?, at now: Timestamp
    ) -> Int? {
        let subject = Subject(symbol, candle)
        var missing = count
        if let last = asked[subject], last.count >= count {
            let isLate = abs(now.milliseconds - last.at.milliseconds) >= Self.patience
            let open = candle.beginning(of: now)
            if let candles, candles.hasEnded(candle, candle.beginning(of: open + .milliseconds(-1))) {
                return nil
            }
            if let ended = candles?.newestEnded(candle) {
                // Exchanges need a moment to close a candle.
                let due = open + min(.seconds(60), candle.length / 12)
                guard now >= due, isLate || last.at < due else { return nil }
                missing = min(count, (open.milliseconds - ended.milliseconds) / candle.length.milliseconds)
            } else if !isLate {
                return nil
            }
        }
        asked[subject] = (max(count, asked[subject]?.count ?? 0), now)
        return missing
    }
}
