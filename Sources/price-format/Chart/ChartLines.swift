import PipeCommon

/// Prints a chart or `no data` for each symbol at the end of the input, in the order in which the symbols appeared. If
/// there is too little room, the drawing is left out.
struct ChartLines: LineStyle {
    /// A price is out of date if its age exceeds this many milliseconds and also the length of the chart's candles.
    private static let longestAge = 120_000

    private let view: ChartView
    private let palette: Palette
    private let names: SymbolNames
    /// The value of `--range`: the range of a chart with candles, and the longest possible range of a chart without
    /// candles; nil to choose a range that suits the input.
    private let range: ChartRange?
    private var symbols: [Symbol] = []
    private var candles: [Symbol: CandlePrices] = [:]
    /// The new, undisputed prices of each symbol, joined into candles, and the times of the first and the last of these
    /// prices.
    private var joined: [Symbol: CandlePrices] = [:]
    private var times: [Symbol: (first: Timestamp, last: Timestamp)] = [:]
    /// For each symbol, the latest reading that contains a quote and is not for a candle.
    private var live: [Symbol: Reading] = [:]
    /// For each symbol and candle length, the reading whose quote has the latest timestamp.
    private var ofCandles: [Subject: Reading] = [:]
    /// The latest failure of each symbol.
    private var failures: [Symbol: Failure] = [:]
    /// For each candle length, the beginning of the newest candle for which a reading has arrived.
    private var newest: [Candle: Timestamp] = [:]
    /// Whether any price is made up, as in the demo.
    private var isMadeUp = false
    private(set) var status = ExitStatus.done

    init(_ view: ChartView, _ palette: Palette, _ range: ChartRange?, _ names: SymbolNames) {
        (self.view, self.palette, self.range, self.names) = (view, palette, range, names)
    }

    let deadline: Deadline? = nil

    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter) {
        let symbol = reading.pricedSymbol
        if candles[symbol] == nil { symbols.append(symbol) }
        candles[symbol, default: CandlePrices()].record(reading)
        if let failure = reading.failures.last { failures[symbol] = failure }
        isMadeUp = isMadeUp || reading.isMadeUp
        if let candle = reading.candle, let at = reading.at { newest[candle] = max(newest[candle] ?? at, at) }
        guard let quote = reading.quote else { return }
        if let candle = reading.candle {
            let subject = Subject(symbol, candle)
            let isLatest = ofCandles[subject].map { $0.quote!.timestamp <= quote.timestamp } ?? true
            if isLatest { ofCandles[subject] = reading }
            return
        }
        if !Self.isOlder(reading, than: live[symbol]) { live[symbol] = reading }
        if reading.isDisputed || !reading.isFresh { return }
        for candle in Set(ChartRange.allCases.map(\.candle)) {
            joined[symbol, default: CandlePrices()].join(reading, into: candle)
        }
        let (first, last) = times[symbol] ?? (quote.timestamp, quote.timestamp)
        times[symbol] = (min(first, quote.timestamp), max(last, quote.timestamp))
    }

    /// Whether a reading is older than the known reading, as can happen if recordings are joined. If only one of the
    /// two readings contains a new quote and the timestamps of their quotes differ, the reading counts as older only if
    /// it is stale and its quote is older. Otherwise, it counts as older if its tick is earlier, unless the known
    /// reading's tick is in the future: the clock has then probably been set back.
    private static func isOlder(_ reading: Reading, than known: Reading?) -> Bool {
        guard let known else { return false }
        let (old, new) = (known.quote?.timestamp, reading.quote?.timestamp)
        if known.isFresh != reading.isFresh, let old, let new, old != new {
            return known.isFresh && old > new
        }
        guard let at = reading.at, let known = known.at else { return false }
        return at < known && known <= .now()
    }

    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError) {
        if now != nil || symbols.isEmpty { return }
        let wall = Timestamp.now()
        status = .noQuote
        for symbol in symbols {
            if symbol != symbols[0] { try output.add(at: nil) { $0.append("") } }
            let chart = chart(of: symbol, at: wall)
            if chart.last != nil { status = .done }
            for line in lines(symbol, chart, at: wall) {
                try output.add(at: nil) { $0.append(line.text(palette)) }
            }
        }
    }

    /// The chart of a symbol. If there are new, undisputed prices but no candles, the chart ends with the last of these
    /// prices and has the shortest range that covers all of them, but at most `range` or, if `range` is nil, a year.
    private func chart(of symbol: Symbol, at wall: Timestamp) -> Chart {
        let known = candles[symbol]!
        if !known.hasCandles, let prices = joined[symbol], let (first, last) = times[symbol] {
            let shown = ChartRange.allCases.first { $0 == range || $0.holds(first, last) } ?? .year
            return Chart(shown, prices, live: nil, at: last)
        }
        return chart(range ?? usualRange(of: known), of: symbol, at: wall)
    }

    private func chart(_ range: ChartRange, of symbol: Symbol, at wall: Timestamp) -> Chart {
        let known = candles[symbol]!
        // If there are readings for candles of the chart's length, the chart ends with the newest of these candles or,
        // if that candle has not ended, at the current time. Otherwise, if the symbol has a price (here, always a
        // disputed or stale price) but no candles, the chart ends with this price. In all other cases, the chart ends
        // at the current time.
        let latest = known.hasCandles ? nil : live[symbol]?.quote?.timestamp
        let newest = newest[range.candle].map { min(wall, $0 + range.candle.length + .milliseconds(-1)) }
        let end = newest ?? latest ?? wall
        return Chart(range, known, live: live[symbol]?.quote, at: end)
    }

    /// Chooses a range that suits the candles of a symbol. A range is considered only if the symbol has candles of the
    /// length that the range uses. The result is 24 hours if that range is considered, or if no range is. Otherwise, it
    /// is the shortest considered range that covers all candles of its length; if there is no such range, it is the
    /// longest considered range.
    private func usualRange(of known: CandlePrices) -> ChartRange {
        let ranges = ChartRange.allCases.filter { !known[$0.candle].isEmpty }
        if ranges.isEmpty || ranges.contains(.day) { return .day }
        return ranges.first { range in
            let times = known[range.candle].keys
            return range.holds(times.min()!, times.max()!)
        } ?? ranges.last!
    }

    private func lines(_ symbol: Symbol, _ chart: Chart, at now: Timestamp) -> [Styled] {
        let name = names[symbol].map { "  \(view.glyphs.shown($0.name))" } ?? ""
        let title = Styled(symbol.text, .price) + (isMadeUp ? Styled("  made up", .banner) : .empty)
        guard let last = chart.last else {
            let words = "no data\(reason(symbol, chart.range, at: now))"
            let line = title + Styled("  \(words)", .down)
            return line.columns <= view.columns ? [line] : [title] + wrapped(Styled(words, .down))
        }
        // Only the price and the timestamp are compared, because a quote that was joined into a candle also contains
        // the candle's range.
        let ofCandle = ofCandles[Subject(symbol, chart.range.candle)]
        let reading = [live[symbol], ofCandle].compactMap(\.self).first {
            $0.quote?.price == last.price && $0.quote?.timestamp == last.timestamp
        }
        let isStale = reading.map { !$0.isFresh && !$0.isClosed } ?? false
        let age = now.milliseconds - last.timestamp.milliseconds
        let isOld = isStale || age > max(Self.longestAge, chart.range.candle.length.milliseconds)
        let dispute = isOld ? nil : reading.flatMap { view.wording.dispute(of: $0) }
        let below =
            (dispute.map { wrapped(Styled($0, .banner)) } ?? [])
            + wrapped(view.wording.age(ofDataFrom: last.timestamp, isOld: isOld, at: now))
        let headings = view.heading(chart)
        let first = [
            title + Styled(name) + "  " + headings[0], title + "  " + headings[0], title + "  " + headings[1],
            title,
        ]
        // One row of the page is already reserved for the first line below the chart.
        var smaller = view
        smaller.rows -= below.count - 1
        let mark = view.mark(last, isStale: isOld, isDisputed: dispute != nil)
        return [first.first(within: view.columns)] + smaller.lines(chart, mark: mark) + below
    }

    /// The text after `no data`: the symbol's latest failure or, if there is none, a suggestion to try a range with
    /// data. Empty if there is neither a failure nor such a range.
    private func reason(_ symbol: Symbol, _ range: ChartRange, at wall: Timestamp) -> String {
        if let failure = failures[symbol] { return ": \(view.wording.text(failure))" }
        let other = ChartRange.allCases.first { chart($0, of: symbol, at: wall).last != nil }
        return other.map { " for \(range.rawValue): try --range \($0.rawValue)" } ?? ""
    }

    private func wrapped(_ line: Styled) -> [Styled] {
        line.wrapped(to: view.columns).map { $0.whole(within: view.columns, view.glyphs.ellipsis) }
    }
}
