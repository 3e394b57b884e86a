import PipeCommon

/// The candles of one symbol. For a board, also the quotes that may serve as the closes of recent days in UTC: for each
/// day, the last new, undisputed quote from the minute before midnight. For each candle length, the oldest candles are
/// dropped when there are more than twice as many candles as any chart needs. Pure.
struct CandlePrices {
    /// A quote with its origin, and its prices as a chart draws them.
    struct Entry {
        let quote: Quote
        let origin: PriceOrigin
        /// Whether the quote counts as the final close of a candle.
        let isClosed: Bool
        /// Whether the quote is new or the final close of a candle.
        let isFresh: Bool
        /// The prices of the quote as a chart draws them, and whether the high and the low are known.
        let candle: ChartCandle
        let hasRange: Bool

        /// - Returns: nil for a reading without a quote.
        init?(_ reading: Reading) {
            guard let quote = reading.quote else { return nil }
            let isFresh = reading.isFresh || reading.isClosed
            self.init(quote, PriceOrigin(reading), isClosed: reading.isClosed, isFresh: isFresh)
        }

        /// Whether the quote counts as the final close of its candle, or has a timestamp no earlier than `end`, the end
        /// of the candle.
        func hasEnded(_ end: Timestamp) -> Bool { isClosed || quote.timestamp >= end }

        fileprivate init(_ quote: Quote, _ origin: PriceOrigin, isClosed: Bool, isFresh: Bool) {
            (self.quote, self.origin, self.isClosed, self.isFresh) = (quote, origin, isClosed, isFresh)
            (candle, hasRange) = (ChartCandle(quote), quote.range?.high != nil && quote.range?.low != nil)
        }

        /// A copy of the entry whose range is widened to include `price`; nil if nothing changes. A high or low that is
        /// not known stays unknown.
        fileprivate func widened(by price: Price) -> Entry? {
            guard var range = quote.range else { return nil }
            if let high = range.high, high.units < price.units {
                range.high = price
            } else if let low = range.low, low.units > price.units {
                range.low = price
            } else {
                return nil
            }
            return Entry(
                Quote(
                    price: quote.price, currency: quote.currency, timestamp: quote.timestamp,
                    market: quote.market, range: range), origin, isClosed: isClosed, isFresh: isFresh)
        }
    }

    /// The number of candles that the longest chart needs.
    private static let most = ChartRange.year.count
    /// A quote with a timestamp in this time span before midnight may serve as the day's close.
    private static let lastMinute = Duration.seconds(60)
    private static let mostDays = 3

    /// The last known price of each candle, by the length and the beginning of the candle.
    private var entries: [Candle: [Timestamp: Entry]] = [:]
    /// The last new, undisputed quote from the minute before each of the latest midnights in UTC.
    private var lastOfDay: [Timestamp: Entry] = [:]

    /// Whether any candle has been recorded. The quotes in `lastOfDay` do not count.
    var hasCandles: Bool { !entries.isEmpty }

    mutating func record(_ reading: Reading) {
        guard let candle = reading.candle, let at = reading.at, let entry = Entry(reading),
            reading.candleEnd != nil
        else { return }
        // A price that is not a final close may still change, so it never replaces a final close or a price with a
        // later timestamp. If it is stale, it does not replace a fresh price either.
        if let known = entries[candle]?[at], !entry.isClosed,
            known.isClosed || known.quote.timestamp > entry.quote.timestamp
                || known.isFresh && !entry.isFresh
        {
            return
        }
        keep(entry, candle, at)
    }

    /// Merges a new price into the candle that contains the price's timestamp. The price that arrives first is the open
    /// of a candle, the price with the latest timestamp is its close, and the highest and the lowest price form its
    /// range. If the currency changes, the candle starts over.
    mutating func join(_ reading: Reading, into candle: Candle) {
        guard reading.isFresh, let quote = reading.quote else { return }
        let beginning = candle.beginning(of: quote.timestamp)
        let known = entries[candle]?[beginning].flatMap { $0.quote.currency == quote.currency ? $0 : nil }
        let old = known?.quote.range
        let (high, low) = (old?.high ?? quote.price, old?.low ?? quote.price)
        let range = CandleRange(
            open: old?.open ?? quote.price, high: quote.price.units > high.units ? quote.price : high,
            low: quote.price.units < low.units ? quote.price : low)
        // If recordings are joined, an older price may come after a newer price. The older price does not become the
        // close.
        let later = known.flatMap { $0.quote.timestamp > quote.timestamp ? $0 : nil }
        let (last, origin) = (later?.quote ?? quote, later?.origin ?? PriceOrigin(reading))
        let joined = Quote(
            price: last.price, currency: last.currency, timestamp: last.timestamp, market: last.market,
            range: range)
        keep(Entry(joined, origin, isClosed: true, isFresh: reading.isFresh), candle, beginning)
    }

    private mutating func keep(_ entry: Entry, _ candle: Candle, _ at: Timestamp) {
        entries[candle, default: [:]][at] = entry
        if entries[candle]!.count > 2 * Self.most {
            let kept = entries[candle]!.keys.sorted().suffix(Self.most)
            entries[candle] = entries[candle]!.filter { $0.key >= kept.first! }
        }
    }

    /// Records a new, undisputed quote that is not the quote of a candle.
    mutating func recordPrice(_ reading: Reading) {
        guard let entry = Entry(reading) else { return }
        widenDay(by: entry)
        let midnight = Candle.day.beginning(of: entry.quote.timestamp + Self.lastMinute)
        guard midnight > entry.quote.timestamp else { return }
        lastOfDay[midnight] = entry
        while lastOfDay.count > Self.mostDays, let first = lastOfDay.keys.min() { lastOfDay[first] = nil }
    }

    /// Widens the range of a day candle to include a new price from that day, because day candles are requested only
    /// now and then. Does nothing if the candle is closed or has a different origin.
    private mutating func widenDay(by entry: Entry) {
        let day = Candle.day.beginning(of: entry.quote.timestamp)
        guard let candle = entries[.day]?[day], !candle.isClosed, candle.origin == entry.origin,
            let widened = candle.widened(by: entry.quote.price)
        else { return }
        entries[.day]![day] = widened
    }

    /// The range of the prices so far in the current UTC day. Nil if the reading contains no quote from this day, if no
    /// fresh day candle with the same source, market and currency is known, or if that candle contains no range.
    func day(_ reading: Reading, at now: Timestamp) -> CandleRange? {
        guard let midnight = midnight(before: reading, at: now), let candle = entries[.day]?[midnight],
            candle.origin == PriceOrigin(reading), candle.isFresh
        else { return nil }
        return candle.quote.range
    }

    /// The entries of all candles of this length, by the time at which the candle begins.
    subscript(candle: Candle) -> [Timestamp: Entry] { entries[candle] ?? [:] }

    /// Whether the candle that begins at a given time is known to have ended. If so, its price is the final close or
    /// has a timestamp no earlier than the end of the candle.
    func hasEnded(_ candle: Candle, _ time: Timestamp) -> Bool {
        entries[candle]?[time]?.hasEnded(time + candle.length) ?? false
    }

    /// The beginning of the newest candle that is known to have ended; nil if there is none.
    func newestEnded(_ candle: Candle) -> Timestamp? {
        entries[candle]?.keys.filter { hasEnded(candle, $0) }.max()
    }

    /// The change in price from the close of the previous UTC day to a reading's quote, for the same source, market and
    /// currency.
    ///
    /// - Returns: the change in hundredths of a percent; nil if `previousClose` returns nil, or if the change is too
    ///   large for an `Int`.
    func today(_ reading: Reading, at now: Timestamp) -> Int? {
        guard let quote = reading.quote else { return nil }
        return previousClose(reading, at: now).flatMap { Price.hundredths(from: $0.price, to: quote.price) }
    }

    /// The beginning of the current UTC day; nil if the reading contains no quote from this day.
    private func midnight(before reading: Reading, at now: Timestamp) -> Timestamp? {
        let midnight = Candle.day.beginning(of: now)
        return reading.quote.map { Candle.day.beginning(of: $0.timestamp) } == midnight ? midnight : nil
    }

    /// The close of the previous UTC day, for the source, market and currency of a reading's quote; nil if the reading
    /// contains no quote from the current day, or if this close is not known.
    func previousClose(_ reading: Reading, at now: Timestamp) -> Quote? {
        guard let midnight = midnight(before: reading, at: now) else { return nil }
        let before = midnight + Candle.day.length * -1
        let candle = hasEnded(.day, before) ? entries[.day]?[before] : nil
        return [candle, lastOfDay[midnight]].compactMap(\.self).first {
            $0.origin == PriceOrigin(reading)
        }?.quote
    }
}

/// Decides which candles to request, and when. A request by `take` is for all needed candles if more are needed than
/// were requested before, if no candle is known to have ended, or if the newest candle known to have ended ends in the
/// future, for example because the clock was set back. Any other request by `take` is only for candles after the newest
/// candle known to have ended. Pure.
struct CandleRequests {
    /// The time after the last request at which missing candles begin to count as late, in milliseconds, unless the
    /// clock is set. It is shorter after the first request: that request may have failed merely because a source had
    /// not started yet.
    private static let patience = (first: 10_000, later: 60_000)
    /// The minimum time between a request for candles and the next request by `takeOpen`, in milliseconds, unless the
    /// clock is set.
    private static let openPatience = 300_000

    private var asked: [Subject: (count: Int, at: Timestamp, isRepeated: Bool)] = [:]

    mutating func forget(_ symbols: Set<Symbol>) {
        asked = asked.filter { !symbols.contains($0.key.symbol) }
    }

    /// - Parameter count: how many candles are needed, including the open candle.
    /// - Returns: how many candles to request now; nil for none.
    mutating func take(
        _ candle: Candle, _ count: Int, of symbol: Symbol, in candles: CandlePrices?, at now: Timestamp
    ) -> Int? {
        let subject = Subject(symbol, candle)
        var missing = count
        if let last = asked[subject], last.count >= count {
            let patience = last.isRepeated ? Self.patience.later : Self.patience.first
            let isLate = abs(now.milliseconds - last.at.milliseconds) >= patience
            let open = candle.beginning(of: now)
            if let candles, candles.hasEnded(candle, candle.beginning(of: open + .milliseconds(-1))) {
                return nil
            }
            // If the clock was set back, the newest candle known to have ended may end in the future.
            if let ended = candles?.newestEnded(candle), ended < open {
                // An exchange may take a moment to close a candle that has ended.
                let due = open + min(.seconds(60), candle.length / 12)
                guard now >= due, isLate || last.at < due else { return nil }
                missing = min(count, (open.milliseconds - ended.milliseconds) / candle.length.milliseconds)
            } else if !isLate {
                return nil
            }
        }
        let last = asked[subject]
        asked[subject] = (last.map { max(count, $0.count) } ?? count, now, last != nil)
        return missing
    }

    /// Whether to request the open candle again now. If so, the candle counts as requested.
    mutating func takeOpen(_ candle: Candle, of symbol: Symbol, at now: Timestamp) -> Bool {
        let subject = Subject(symbol, candle)
        guard let last = asked[subject],
            abs(now.milliseconds - last.at.milliseconds) >= Self.openPatience
        else { return false }
        asked[subject] = (last.count, now, true)
        return true
    }
}
