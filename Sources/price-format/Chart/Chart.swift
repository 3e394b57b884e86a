import PipeCommon

/// The prices of one symbol over a range of time: the closing prices of its candles, and the live price. A missing
/// candle is a hole; nothing is interpolated. Pure.
struct Chart {
    let range: ChartRange
    /// The beginning of the first candle, and the time at the right edge.
    let start: Timestamp
    let end: Timestamp
    /// The last price of each candle, oldest first; nil for a hole.
    let quotes: [Quote?]
    /// Their prices in units of 10⁻¹².
    let prices: [Int128?]

    /// - Parameters:
    ///   - live: the last price, which provisionally closes its candle. Candles in another currency are holes.
    init(_ range: ChartRange, _ candles: CandlePrices, live: Quote?, at now: Timestamp) {
        let last = range.candle.beginning(of: now)
        let length = range.candle.length.milliseconds
        let start = Timestamp(milliseconds: last.milliseconds - (range.count - 1) * length)
        (self.range, self.start, end) = (range, start, max(now, last + .milliseconds(1)))
        let times = (0..<range.count).map { Timestamp(milliseconds: start.milliseconds + $0 * length) }
        let newest = times.last { candles[range.candle, $0] != nil }
        let currency = live?.currency ?? newest.flatMap { candles[range.candle, $0]?.currency }
        var quotes = times.map { time -> Quote? in
            // A candle whose close has not arrived is a hole, except for the open one.
            guard time == last || candles.hasEnded(range.candle, time),
                let quote = candles[range.candle, time], quote.currency == currency
            else { return nil }
            return quote
        }
        if let live, live.timestamp >= start, live.timestamp <= end {
            let index = (live.timestamp.milliseconds - start.milliseconds) / length
            if quotes[index].map({ $0.timestamp <= live.timestamp }) ?? true { quotes[index] = live }
        }
        self.quotes = quotes
        prices = quotes.map { $0?.price.units }
    }

    /// The first and the last quote that are known.
    var first: Quote? { quotes.first { $0 != nil } ?? nil }
    var last: Quote? { quotes.last { $0 != nil } ?? nil }

    /// The quotes with the lowest and the highest price.
    var extremes: (low: Quote, high: Quote)? {
        let known = quotes.indices.filter { prices[$0] != nil }
        guard let low = known.min(by: { prices[$0]! < prices[$1]! }),
            let high = known.max(by: { prices[$0]! < prices[$1]! })
        else { return nil }
        return (quotes[low]!, quotes[high]!)
    }

    /// The change from the first price to the last, in hundredths of a percent; nil if fewer than two are known.
    var change: Int? {
        guard prices.count(where: { $0 != nil }) > 1, let first, let last else { return nil }
        return Price.hundredths(from: first.price, to: last.price)
    }

    /// The price at a dot of the line, counted from the left: the price of the candle at its time.
    ///
    /// - Parameter count: the number of dots, at least 2. The first is at `start`, the last at `end`.
    func price(atDot dot: Int, of count: Int) -> Int128? {
        let time = dot * (end.milliseconds - start.milliseconds) / (count - 1)
        return prices[min(time / range.candle.length.milliseconds, prices.count - 1)]
    }

    /// The dot at a time, counted from the left.
    func dot(of time: Timestamp, of count: Int) -> Int {
        let length = end.milliseconds - start.milliseconds
        return ((time.milliseconds - start.milliseconds) * (count - 1) * 2 + length) / (2 * length)
    }
}
