import PipeCommon

/// Prints readings as the lines of a table, followed by a line with the time of the data or `No data`.
struct TableLines: LineStyle {
    private var table = Table()
    private var view: TableView
    /// The reason that was last printed for the missing prices. Reasons are printed only until a symbol has a price.
    private var reason = ChangeFilter()

    init(_ view: TableView) {
        self.view = view
    }

    var deadline: Deadline? { table.deadline }

    var status: ExitStatus { table.symbols.isEmpty || table.hasQuotes ? .done : .noQuote }

    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter)
        throws(StreamError)
    {
        try add(table.record(reading, at: now), to: &output)
    }

    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError) {
        try add(table.due(at: now), to: &output)
        guard now == nil, !table.symbols.isEmpty else { return }
        let footer = view.footer(table, at: .now())
        try output.add(at: nil) { $0.append(footer) }
    }

    private mutating func add(_ lines: [TableLine], to output: inout LiveWriter) throws(StreamError) {
        if lines.isEmpty { return }
        var lines = lines
        if !table.hasQuotes {
            let readings = lines.flatMap { line in table.symbols.compactMap { line.beat.readings[$0] } }
            if let reason = reason.changed(to: view.noPrice(in: readings)) {
                try output.add(at: nil) { $0.append(reason) }
            }
            // Rows of dashes, one for each candle, would scroll the reason off the terminal.
            lines.removeAll { $0.beat.candle != nil }
        }
        for (time, line) in view.text(lines, table.symbols, at: .now()) {
            try output.add(at: time) { $0.append(line) }
        }
    }
}

/// Lays out the lines of a table in columns: the time, then the price and the change of each symbol. If there is room,
/// a column is at least as wide as its widest text so far. The lines of a burst of candles are therefore aligned, and
/// the columns of a live table soon stop moving. On a terminal, symbols that do not fit in a line continue on the next
/// line or in another table. A price or a change that does not fit is replaced by an ellipsis.
struct TableView {
    private typealias Cells = (price: Styled, change: Styled)

    private static let gap = 2
    private static let longestName = 13

    private let wording: Wording
    private let palette: Palette
    private let days: LocalTimeFormatter
    private let ellipsis: Styled
    private let columns: () -> Int?
    /// The symbols for which headers were last printed (several if there were several tables), and whether these
    /// headers were marked `made up`.
    private var header: (symbols: [Symbol], isMadeUp: Bool) = ([], false)
    private var timeWidth = 0
    /// The widths of prices and changes, in the order of the symbols.
    private var widths: [(price: Int, change: Int)] = []
    /// For each symbol, the largest `shownDecimals` of its prices so far.
    private var decimals: [Int] = []

    /// - Parameters:
    ///   - days: formats the dates of day candles, which begin at midnight UTC.
    ///   - ellipsis: replaces a price or a change that does not fit, and the end of a long source name.
    ///   - columns: returns the width of the terminal; nil if it is not known.
    init(
        _ wording: Wording, _ palette: Palette, days: LocalTimeFormatter, ellipsis: String = "…",
        columns: @escaping () -> Int? = { nil }
    ) {
        (self.wording, self.palette, self.days) = (wording, palette, days)
        (self.ellipsis, self.columns) = (Styled(ellipsis), columns)
    }

    /// The lines to print, each with the time of its beat; the time is nil for a header or a blank line. A new header
    /// comes first if a column was added or if prices are made up for the first time. If the lines are split into
    /// several tables, each table has a header.
    mutating func text(_ lines: [TableLine], _ symbols: [Symbol], at now: Timestamp) -> [(Timestamp?, String)]
    {
        guard !lines.isEmpty else { return [] }
        keepDecimals(of: lines, symbols)
        let rows = lines.map { line in zip(symbols, decimals).map { cells(of: $0, in: line, $1, at: now) } }
        let times = lines.map { time(of: $0, at: now) }
        timeWidth = times.reduce(timeWidth) { max($0, $1.columns) }
        for index in symbols.indices {
            if index == widths.count { widths.append((max(10, symbols[index].text.columns), 7)) }
            for row in rows {
                widths[index].price = max(widths[index].price, row[index].price.columns)
                widths[index].change = max(widths[index].change, row[index].change.columns)
            }
        }
        var texts: [(Timestamp?, String)] = []
        let groups = groups(of: symbols, in: lines)
        let isMadeUp =
            header.isMadeUp || lines.contains { $0.beat.readings.values.contains(where: \.isMadeUp) }
        let corner = isMadeUp ? Styled("made up", .banner) : .empty
        for group in groups {
            if group.lowerBound > 0 { texts.append((nil, "")) }
            if header != (symbols, isMadeUp) || groups.count > 1 {
                let names = symbols[group].map { (Styled($0.text), Styled.empty) }
                texts.append((nil, text(corner, names, widths[group], isOpen: false)))
            }
            texts += lines.indices.map { index in
                let beat = lines[index].beat
                let isOpen = symbols[group].contains { beat.readings[$0]?.validity(at: now) == .open }
                return (beat.at, text(times[index], Array(rows[index][group]), widths[group], isOpen: isOpen))
            }
        }
        header = (symbols, isMadeUp)
        return texts
    }

    /// The symbols of each table, as ranges of their indices. If several lines of candles are printed together and the
    /// symbols do not fit in one line, there are several tables, one below the other, unless a single symbol is too
    /// wide for a line.
    private func groups(of symbols: [Symbol], in lines: [TableLine]) -> [Range<Int>] {
        let room = (columns() ?? .max) - timeWidth
        let each = widths.map { Self.gap + $0.price + Self.gap + $0.change }
        guard lines.count > 1, lines.first?.beat.candle != nil, each.allSatisfy({ $0 <= room }) else {
            return [symbols.indices]
        }
        var (groups, used): ([Range<Int>], Int) = ([], .max)
        for (index, width) in each.enumerated() {
            if used <= room - width {
                groups[groups.count - 1] = groups[groups.count - 1].lowerBound..<index + 1
                used += width
            } else {
                groups.append(index..<index + 1)
                used = width
            }
        }
        return groups
    }

    private mutating func keepDecimals(of lines: [TableLine], _ symbols: [Symbol]) {
        for (index, symbol) in symbols.enumerated() {
            if index == decimals.count { decimals.append(0) }
            for line in lines {
                guard let price = line.beat.readings[symbol]?.quote?.price else { continue }
                decimals[index] = max(decimals[index], price.shownDecimals)
            }
        }
    }

    /// The last line of a table: the time of the data, or `No data`. If only some prices are out of date, the line also
    /// names the symbol with such a price or, if there are several such symbols, gives their number.
    func footer(_ table: Table, at now: Timestamp) -> String {
        guard let time = table.time(of: table.symbols) else { return palette.paint("No data", .down) }
        let symbols = table.outOfDate(at: now)
        if symbols.isEmpty { return wording.age(ofDataFrom: time, isOld: false, at: now).text(palette) }
        let (count, all) = (symbols.count, table.symbols.count)
        let named = count == 1 ? symbols[0].text : "\(count) of \(all) symbols"
        guard let old = table.time(of: symbols) else {
            return palette.paint(
                "No data for \(named); other data from \(wording.text(time, at: now))", .down)
        }
        return wording.age(ofDataFrom: old, isOld: true, count == all ? "" : named, at: now).text(palette)
    }

    func noPrice(in readings: [Reading]) -> String {
        palette.paint(wording.noPrice(in: readings), .banner)
    }

    private func time(of line: TableLine, at now: Timestamp) -> Styled {
        let beat = line.beat
        let time = beat.at ?? beat.readings.values.compactMap { $0.quote?.timestamp }.max()
        return Styled(time.map { beat.candle == .day ? days.text($0) : wording.text($0, at: now) } ?? "-")
    }

    private func cells(of symbol: Symbol, in line: TableLine, _ decimals: Int, at now: Timestamp) -> Cells {
        guard let reading = line.beat.readings[symbol], let quote = reading.quote else {
            return ("-", .empty)
        }
        let price = Styled(wording.money.text(quote, keeping: decimals))
        if reading.validity(at: now) == .stale { return (price, Styled("stale", .banner)) }
        if reading.isDisputed { return (price, Styled("disputed", .banner)) }
        let isLive = line.beat.candle == nil
        if let change = line.change(of: symbol, at: now) {
            return (price, wording.percentage(from: change.from, to: change.to, isFine: isLive) ?? .empty)
        }
        return (price, line.newSource(of: symbol, at: now).map { name($0) } ?? .empty)
    }

    private func name(_ source: String) -> Styled {
        let name = Styled(wording.shown(source))
        return name.shortened(to: Self.longestName, ellipsis.text(palette))
    }

    private func text(
        _ time: Styled, _ cells: [Cells], _ widths: ArraySlice<(price: Int, change: Int)>, isOpen: Bool
    ) -> String {
        let width = columns() ?? .max
        let room = width - timeWidth
        let pieces = zip(cells, widths).flatMap { self.pieces(of: $0, $1, within: room) }
        var lines = [time.atStart(of: timeWidth)]
        for piece in pieces {
            let used = lines[lines.count - 1].columns
            if used > timeWidth, used + piece.columns > width { lines.append(.blanks(timeWidth)) }
            lines[lines.count - 1] += piece
        }
        let mark: Styled = " open"
        if isOpen, lines[lines.count - 1].columns + mark.columns <= width { lines[lines.count - 1] += mark }
        return lines.map { $0.text(palette) }.joined(separator: "\n")
    }

    /// The price and the change of a symbol, each after a gap: one piece if both fit on one line, and otherwise one
    /// piece for each. If they do not fit, an empty change gets no piece.
    private func pieces(of cells: Cells, _ widths: (price: Int, change: Int), within room: Int) -> [Styled] {
        let gap = Self.gap
        let width = max(gap + ellipsis.columns, min(gap + widths.price, room))
        let price = (gap + cells.price.columns <= room ? cells.price : ellipsis).atEnd(of: width)
        let change =
            gap + cells.change.columns <= room
            ? cells.change.atEnd(of: min(gap + widths.change, room))
            : ellipsis.atEnd(of: gap + ellipsis.columns)
        if price.columns + change.columns <= room { return [price + change] }
        return cells.change.columns == 0 ? [price] : [price, change]
    }
}
