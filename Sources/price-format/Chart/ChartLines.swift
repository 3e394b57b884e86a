import PipeCommon

/// Prints one chart per symbol at the end of the input, in the order in which the symbols appeared.
struct ChartLines: LineStyle {
    /// A price is out of date if it is older than this many milliseconds, and than the length of a candle.
    private static let longestAge = 120_000

    private let view: ChartView
    private let palette: Palette
    private let names: SymbolNames
    private let range: ChartRange
    private var symbols: [Symbol] = []
    private var candles: [Symbol: CandlePrices] = [:]
    /// The latest price of each symbol, and the latest failure.
    private var live: [Symbol: Quote] = [:]
    private var failures: [Symbol: Failure] = [:]
    /// The beginning of the newest candle that was requested.
    private var newest: Timestamp?
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
        if reading.candle == range.candle, let at = reading.at { newest = max(newest ?? at, at) }
        if reading.candle == nil, let quote = reading.quote { live[symbol] = quote }
    }

    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError) {
        if now != nil || symbols.isEmpty { return }
        let wall = Timestamp.now()
        status = .noQuote
        for symbol in symbols {
            if symbol != symbols[0] { try output.add(at: nil) { $0.append("") } }
            // The chart of a recording ends with its newest candle.
            let end = newest.map { min(wall, $0 + range.candle.length + .milliseconds(-1)) } ?? wall
            let chart = Chart(range, candles[symbol]!, live: live[symbol], at: end)
            if chart.last != nil { status = .done }
            for line in lines(symbol, chart, at: wall) {
                try output.add(at: nil) { $0.append(line.text(palette)) }
            }
        }
    }

    private func lines(_ symbol: Symbol, _ chart: Chart, at now: Timestamp) -> [Styled] {
        let name = names[symbol].map { "  \(view.glyphs.shown($0.name))" } ?? ""
        let title = Styled(symbol.text, .price)
        guard let last = chart.last else {
            let reason = failures[symbol].map { ": \($0.source): \($0.message)" } ?? ""
            return [title + Styled("  no data\(view.glyphs.shown(reason))", .down)]
        }
        let age = now.milliseconds - last.timestamp.milliseconds
        let isOld = age > max(Self.longestAge, range.candle.length.milliseconds)
        let data = view.wording.age(ofDataFrom: last.timestamp, isOld: isOld, at: now)
        let headings = view.heading(chart)
        let first = [
            title + Styled(name) + "  " + headings[0], title + "  " + headings[0], title + "  " + headings[1],
            title,
        ]
        return [first.first(within: view.columns)] + view.lines(chart, mark: view.mark(last, isStale: isOld))
            + [data]
    }
}

/// A grid of dots, drawn as characters: eight Braille dots per character, or one `*`.
struct DotCanvas {
    private let columns: Int
    private let rows: Int
    /// Braille numbers its dots by column; the lowest two were added later.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// The number of dots per character, across and down.
    let across: Int
    let down: Int
    /// The dots of each character as the bits of its Braille pattern, in rows from the top.
    private var cells: [[UInt8]]

    init(columns: Int, rows: Int, usesBraille: Bool) {
        (self.columns, self.rows) = (columns, rows)
        (across, down) = usesBraille ? (2, 4) : (1, 1)
        cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    }

    /// - Parameters:
    ///   - x: from the left.
    ///   - y: from the bottom.
    mutating func set(_ x: Int, _ y: Int) {
        let fromTop = rows * down - 1 - y
        cells[fromTop / down][x / across] |= Self.bits[fromTop % down][x % across]
    }

    /// The characters of a row, counted from the top.
    func text(ofRow row: Int) -> String {
        var text: [UInt8] = []
        for bits in cells[row] {
            if bits == 0 {
                text.append(UInt8(ascii: " "))
            } else if down == 1 {
                text.append(UInt8(ascii: "*"))
            } else {
                // U+2800 and the bits, in UTF-8.
                text += [0xE2, 0xA0 | bits >> 6, 0x80 | bits & 0x3F]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
