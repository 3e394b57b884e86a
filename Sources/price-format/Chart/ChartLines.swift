import PipeCommon

/// Prints one chart per symbol at the end of the input, in the order in which the symbols appeared.
struct ChartLines: LineStyle {
    /// A price is out of date if its age exceeds both this many milliseconds and the length of a candle.
    private static let longestAge = 120_000

    private let view: ChartView
    private let palette: Palette
    private let names: SymbolNames
    private let range: ChartRange
    private var symbols: [Symbol] = []
    private var candles: [Symbol: CandlePrices] = [:]
    /// The prices of each symbol, joined into candles, and the times of the first and the last.
    private var joined: [Symbol: CandlePrices] = [:]
    private var times: [Symbol: (first: Timestamp, last: Timestamp)] = [:]
    /// The latest price of each symbol, and the latest failure.
    private var live: [Symbol: Quote] = [:]
    private var failures: [Symbol: Failure] = [:]
    /// The beginning of the newest candle that was requested.
    private var newest: Timestamp?
    /// Whether any price is made up, as in a demo.
    private var isMadeUp = false
    private(set) var status = ExitStatus.done

    init(_ view: ChartView, _ palette: Palette, _ range: ChartRange, _ names: SymbolNames) {
        (self.view, self.palette, self.range, self.names) = (view, palette, range, names)
    }

    let deadline: Deadline? = nil

    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter) {
        let symbol = reading.pricedSymbol
        if candles[symbol] == nil { symbols.append(symbol) }
        candles[symbol, default: CandlePrices()].record(reading)
        if let failure = reading.failures.last { failures[symbol] = failure }
        isMadeUp = isMadeUp || reading.isMadeUp
        if reading.candle == range.candle, let at = reading.at { newest = max(newest ?? at, at) }
        guard reading.candle == nil, let quote = reading.quote else { return }
        live[symbol] = quote
        for candle in Set(ChartRange.allCases.map(\.candle)) {
            joined[symbol, default: CandlePrices()].join(reading, into: candle)
        }
        let known = times[symbol] ?? (quote.timestamp, quote.timestamp)
        times[symbol] = (min(known.first, quote.timestamp), max(known.last, quote.timestamp))
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

    /// The chart of a recording ends with its newest candle. A chart of prices without candles is drawn in the shortest
    /// range that contains them.
    private func chart(of symbol: Symbol, at wall: Timestamp) -> Chart {
        let known = candles[symbol]!
        if !known.hasCandles, let prices = joined[symbol], let (first, last) = times[symbol] {
            let range =
                ChartRange.allCases.first { range in
                    range == self.range || first >= last + range.candle.length * -(range.count - 1)
                } ?? range
            return Chart(range, prices, live: nil, at: last)
        }
        let end = newest.map { min(wall, $0 + range.candle.length + .milliseconds(-1)) } ?? wall
        return Chart(range, known, live: live[symbol], at: end)
    }

    private func lines(_ symbol: Symbol, _ chart: Chart, at now: Timestamp) -> [Styled] {
        let name = names[symbol].map { "  \(view.glyphs.shown($0.name))" } ?? ""
        let title = Styled(symbol.text, .price) + (isMadeUp ? Styled("  made up", .banner) : .empty)
        guard let last = chart.last else {
            let reason = failures[symbol].map { ": \($0.source): \($0.message)" } ?? ""
            let words = "no data\(view.glyphs.shown(reason))"
            let line = title + Styled("  \(words)", .down)
            return line.columns <= view.columns ? [line] : [title] + wrapped(Styled(words, .down))
        }
        let age = now.milliseconds - last.timestamp.milliseconds
        let isOld = age > max(Self.longestAge, chart.range.candle.length.milliseconds)
        let data = view.wording.age(ofDataFrom: last.timestamp, isOld: isOld, at: now)
        let headings = view.heading(chart)
        let first = [
            title + Styled(name) + "  " + headings[0], title + "  " + headings[0], title + "  " + headings[1],
            title,
        ]
        return [first.first(within: view.columns)] + view.lines(chart, mark: view.mark(last, isStale: isOld))
            + wrapped(data)
    }

    private func wrapped(_ line: Styled) -> [Styled] { line.wrapped(to: view.columns) }
}
