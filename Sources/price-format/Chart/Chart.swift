import PipeCommon

/// The prices of one candle, or of several candles that are joined, in units of 10⁻¹².
struct ChartCandle: Equatable {
    private(set) var open: Int128
    private(set) var high: Int128
    private(set) var low: Int128
    private(set) var close: Int128

    /// Creates a candle of which only one price is known.
    init(_ price: Int128) {
        (open, high, low, close) = (price, price, price, price)
    }

    /// Creates the candle of a quote. If the open is not known, it is replaced by the close. The range from the low to
    /// the high always includes the open and the close, even if the low or the high is not known.
    init(_ quote: Quote) {
        self.init(quote.price.units)
        guard let range = quote.range else { return }
        open = range.open?.units ?? close
        high = max(range.high?.units ?? close, open, close)
        low = min(range.low?.units ?? close, open, close)
    }

    /// Adds a later candle: keeps the first open, the highest high, the lowest low and the last close.
    mutating func join(_ later: ChartCandle) {
        (high, low, close) = (max(high, later.high), min(low, later.low), later.close)
    }

    var isRising: Bool { close >= open }
}

/// The prices of one symbol over a range of time: its candles and the live price. A missing candle leaves a hole,
/// unless the live price takes its place; nothing is interpolated. Pure.
struct Chart {
    let range: ChartRange
    /// The beginning of the first candle, and the time at which the chart ends.
    let start: Timestamp
    let end: Timestamp
    /// Oldest first; nil for a hole.
    let candles: [ChartCandle?]
    /// The first and the last known close. The live price may count as a close (see `init`).
    let first: Quote?
    let last: Quote?
    /// Whether the high and the low of every candle in the chart are known; false if the chart contains no candles. The
    /// newest candle of the range is checked only if it is the only candle. The live price does not count as a candle.
    let hasRanges: Bool

    /// Whether the chart contains any candle. The live price does not count as a candle.
    let hasCandles: Bool

    /// - Parameters:
    ///   - live: the latest price; nil to show only candles. It counts as the close of the candle that contains its
    ///     timestamp or, if its timestamp is after the end of the chart, of the newest candle. It does not count if its
    ///     timestamp is before the start of the chart, or if the chart shows a later price of that candle. The chart
    ///     uses the currency of `live` or, if `live` is nil, of the newest known candle in the range. Candles in other
    ///     currencies are treated as holes.
    init(_ range: ChartRange, _ prices: CandlePrices, live: Quote?, at now: Timestamp) {
        let (length, newest) = (range.candle.length.milliseconds, range.count - 1)
        let open = range.candle.beginning(of: now).milliseconds
        func time(_ index: Int) -> Timestamp { Timestamp(milliseconds: open + (index - newest) * length) }
        (self.range, start, end) = (range, time(0), now)
        let known = prices[range.candle]
        let currency =
            live?.currency
            ?? (0...newest).reversed().lazy.compactMap { known[time($0)] }.first?.quote.currency
        // A candle whose close has not arrived is treated as a hole, unless it is the newest candle of the range.
        func entry(_ index: Int) -> CandlePrices.Entry? {
            guard let entry = known[time(index)], entry.quote.currency == currency else { return nil }
            return index == newest || entry.hasEnded(time(index + 1)) ? entry : nil
        }
        var candles: [ChartCandle?] = []
        var ranges: [Bool] = []
        for index in 0...newest {
            let entry = entry(index)
            candles.append(entry?.candle)
            if let entry, index < newest || ranges.isEmpty { ranges.append(entry.hasRange) }
        }
        hasRanges = !ranges.isEmpty && !ranges.contains(false)
        hasCandles = !ranges.isEmpty
        var (first, last) = (candles.firstIndex { $0 != nil }, candles.lastIndex { $0 != nil })
        // The live price may have a timestamp after the end of the chart, for example because the clock of its source
        // is ahead.
        var liveIndex: Int?
        if let live, live.timestamp >= start {
            let index = min((live.timestamp.milliseconds - start.milliseconds) / length, newest)
            if entry(index).map({ $0.quote.timestamp <= live.timestamp }) ?? true {
                let price = ChartCandle(live.price.units)
                if candles[index]?.join(price) == nil { candles[index] = price }
                (liveIndex, first, last) = (index, min(first ?? index, index), max(last ?? index, index))
            }
        }
        func quote(_ index: Int) -> Quote? { index == liveIndex ? live : entry(index)?.quote }
        (self.first, self.last) = (first.flatMap(quote), last.flatMap(quote))
        self.candles = candles
    }

    /// The lowest and the highest price or, if `hasRanges` is false, the lowest and the highest close; nil if all
    /// candles are holes.
    var extremes: (low: Int128, high: Int128)? { extremes(ofCloses: !hasRanges) }

    func extremes(ofCloses isOfCloses: Bool) -> (low: Int128, high: Int128)? {
        candles.reduce(into: nil) { (extremes: inout (low: Int128, high: Int128)?, candle) in
            guard let candle else { return }
            let (low, high) = isOfCloses ? (candle.close, candle.close) : (candle.low, candle.high)
            extremes = (min(extremes?.low ?? low, low), max(extremes?.high ?? high, high))
        }
    }

    /// The change from the first close to the last, in hundredths of a percent; nil if fewer than two closes are known
    /// or the change is too large for an `Int`.
    var change: Int? {
        guard candles.count(where: { $0 != nil }) > 1, let first, let last else { return nil }
        return Price.hundredths(from: first.price, to: last.price)
    }

    /// The positions that a candle takes in a drawing whose `count` positions are divided among the candles as evenly
    /// as possible. A candle takes at least one position; if there are more candles than positions, some neighbors
    /// share a position.
    func places(ofCandle index: Int, of count: Int) -> ClosedRange<Int> {
        let first = index * count / candles.count
        return first...max(first, (index + 1) * count / candles.count - 1)
    }

    /// The index of the candle that contains a given time; if the time is outside the chart, the index of the nearest
    /// candle.
    func index(at time: Timestamp) -> Int {
        let index = (time.milliseconds - start.milliseconds) / range.candle.length.milliseconds
        return min(max(index, 0), candles.count - 1)
    }
}
