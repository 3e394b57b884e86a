import PipeCommon

/// Which candles a chart lacks, and when they are asked for: all of them when it is first shown, and then those that have
/// ended since. A hole is not asked for again. Pure.
struct CandleRequests {
    /// How long after the end of a candle its close is asked for: exchanges need a moment to close it.
    private static let delay = Duration.seconds(5)
    /// After how many milliseconds a close that has not come is asked for again.
    private static let patience = 60_000

    private var asked: [Subject: (count: Int, at: Timestamp)] = [:]

    /// - Returns: how many candles are to be asked for now, the open one among them; nil for none.
    mutating func take(_ range: ChartRange, of symbol: Symbol, in candles: CandlePrices, at now: Timestamp)
        -> Int?
    {
        let (candle, subject) = (range.candle, Subject(symbol, range.candle))
        var count = range.count
        if let last = asked[subject], last.count >= range.count {
            let isLate = abs(now.milliseconds - last.at.milliseconds) >= Self.patience
            if let ended = candles.newestEnded(candle) {
                let open = candle.beginning(of: now)
                let due = open + Self.delay
                guard ended + candle.length < open, now >= due, isLate || last.at < due else { return nil }
                count = min(count, (open.milliseconds - ended.milliseconds) / candle.length.milliseconds)
            } else if !isLate {
                return nil
            }
        }
        asked[subject] = (range.count, now)
        return count
    }
}
