import PipeCommon

/// The prices of one candle, or of neighboring candles that are joined, in units of 10⁻¹².
struct ChartCandle: Equatable {
    private(set) var open: Int128
    private(set) var high: Int128
    private(set) var low: Int128
    private(set) var close: Int128

    /// A candle of which only one price is known.
    init(_ price: Int128) {
        (open, high, low, close) = (price, price, price, price)
    }

    /// Prices that are not known are replaced by the close.
    init(_ quote: Quote) {
        self.init(quote.price.units)
        guard let range = quote.range else { return }
        open = range.open?.units ?? close
        high = max(range.high?.units ?? close, open, close)
        low = min(range.low?.units ?? close, open, close)
    }

    /// Adds a later candle: the first open, the highest high, the lowest low, the last close.
    mutating func join(_ later: ChartCandle) {
        (high, low, close) = (max(high, later.high), min(low, later.low), later.close)
    }

    var isRising: Bool { close >= open }
}

/// The prices of one symbol over a range of time: its candles, and the live price. A missing candle is a hole; nothing
/// is interpolated. Pure.
struct Chart {
    let range: ChartRange
    /// The beginning of the first candle, and the present.
    let start: Timestamp
    let end: Timestamp
    /// Oldest first; nil for a hole.
    let candles: [ChartCandle?]
    /// The first and the last close that are known.
    let first: Quote?
    let last: Quote?
    /// Whether open, high and low of the candles are known, except for the last candle, which may be the live price
    /// alone.
    let hasRanges: Bool

    /// Whether there is any candle besides the live price.
    let hasCandles: Bool

    /// - Parameters:
    ///   - live: the last price, which provisionally closes its candle. Candles in another currency are holes.
    init(_ range: ChartRange, _ prices: CandlePrices, live: Quote?, at now: Timestamp) {
        let last = range.candle.beginning(of: now)
        let length = range.candle.length.milliseconds
        let start = Timestamp(milliseconds: last.milliseconds - (range.count - 1) * length)
        (self.range, self.start, end) = (range, start, max(now, last + .milliseconds(1)))
        let known = prices[range.candle]
        let entries = (0..<range.count).map {
            known[Timestamp(milliseconds: start.milliseconds + $0 * length)]
        }
        let currency = live?.currency ?? entries.last { $0 != nil }??.quote.currency
        var quotes = entries.enumerated().map { index, entry -> Quote? in
            let end = Timestamp(milliseconds: start.milliseconds + (index + 1) * length)
            // A candle whose close has not arrived is a hole, except for the open candle.
            guard let entry, end > last || entry.hasEnded(end), entry.quote.currency == currency
            else { return nil }
            return entry.quote
        }
        var candles = quotes.map { $0.map(ChartCandle.init) }
        hasCandles = candles.contains { $0 != nil }
        let ranges = quotes.dropLast().compactMap { $0 }.map { $0.range?.high != nil && $0.range?.low != nil }
        hasRanges = !ranges.contains(false) && (!ranges.isEmpty || quotes.last??.range?.high != nil)
        // The live price may be dated after the present: the clock of its source may be ahead.
        if let live, live.timestamp >= start {
            let index = min((live.timestamp.milliseconds - start.milliseconds) / length, range.count - 1)
            if quotes[index].map({ $0.timestamp <= live.timestamp }) ?? true {
                let price = ChartCandle(live.price.units)
                if candles[index]?.join(price) == nil { candles[index] = price }
                quotes[index] = live
            }
        }
        self.candles = candles
        first = quotes.first { $0 != nil } ?? nil
        self.last = quotes.last { $0 != nil } ?? nil
    }

    /// The lowest and the highest price, or the lowest and the highest close if nothing else is known.
    var extremes: (low: Int128, high: Int128)? { extremes(ofCloses: !hasRanges) }

    func extremes(ofCloses isOfCloses: Bool) -> (low: Int128, high: Int128)? {
        let known = candles.compactMap { $0 }
        guard let low = known.map({ isOfCloses ? $0.close : $0.low }).min(),
            let high = known.map({ isOfCloses ? $0.close : $0.high }).max()
        else { return nil }
        return (low, high)
    }

    /// The change from the first close to the last, in hundredths of a percent; nil if fewer than two are known.
    var change: Int? {
        guard candles.count(where: { $0 != nil }) > 1, let first, let last else { return nil }
        return Price.hundredths(from: first.price, to: last.price)
    }

    /// The places of a candle in a drawing where all candles have the same width: at least one place, which neighbors
    /// share if there are more candles than places.
    func places(ofCandle index: Int, of count: Int) -> ClosedRange<Int> {
        let first = index * count / candles.count
        return first...max(first, (index + 1) * count / candles.count - 1)
    }

    /// The candle at a time.
    func index(at time: Timestamp) -> Int {
        let index = (time.milliseconds - start.milliseconds) / range.candle.length.milliseconds
        return min(max(index, 0), candles.count - 1)
    }
}
