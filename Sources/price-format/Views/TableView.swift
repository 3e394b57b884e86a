import PipeCommon

/// Lays out the lines of a table in columns: the time, then each symbol's price and its change. A column is as wide as the
/// widest text so far, so that the lines of a burst are aligned, and those of a live table after a while.
struct TableView {
    private static let gap = "  "

    private let wording: Wording
    private let palette: Palette
    private let days: LocalTimeFormatter
    private var header: [Symbol] = []
    private var timeWidth = 0
    private var widths: [Symbol: (price: Int, change: Int)] = [:]

    /// - Parameter days: writes the days of candles, in UTC: they begin at its midnight.
    init(_ wording: Wording, _ palette: Palette, days: LocalTimeFormatter) {
        (self.wording, self.palette, self.days) = (wording, palette, days)
    }

    /// The lines, after a header if there are columns that have none yet.
    mutating func text(_ lines: [TableLine], _ symbols: [Symbol], at now: Timestamp) -> [(Timestamp?, String)]
    {
        guard !lines.isEmpty else { return [] }
        let rows = lines.map { line in
            (line, time(of: line), symbols.map { cells(of: $0, in: line, at: now) })
        }
        timeWidth = rows.reduce(timeWidth) { max($0, $1.1.columns) }
        for (index, symbol) in symbols.enumerated() {
            let start = widths[symbol] ?? (max(10, symbol.text.columns), 7)
            widths[symbol] = rows.reduce(start) { widths, row in
                (
                    max(widths.price, row.2[index].price.columns),
                    max(widths.change, row.2[index].change.columns)
                )
            }
        }
        let names = header == symbols ? [] : [(nil as Timestamp?, headerLine(symbols))]
        header = symbols
        return names
            + rows.map { line, time, cells in
                let isOpen = line.readings.values.contains { $0.validity(at: now) == .open }
                return (line.at, self.line(time, symbols, cells, end: isOpen ? "open" : ""))
            }
    }

    /// Says from when the prices are.
    func footer(_ table: Table, at now: Timestamp) -> String {
        guard let time = table.time else { return palette.paint("No data", .down) }
        let from = "from \(wording.time.text(time))"
        guard table.isOutOfDate(at: now) else { return "Data \(from)" }
        return palette.paint("Out of date: \(from), \(Age(since: time, at: now).text) ago", .down)
    }

    private func time(of line: TableLine) -> Cell {
        let time = line.at ?? line.readings.values.compactMap { $0.quote?.timestamp }.max()
        return Cell(time.map { (line.candle == .day ? days : wording.time).text($0) } ?? "-")
    }

    private func cells(of symbol: Symbol, in line: TableLine, at now: Timestamp) -> (
        price: Cell, change: Cell
    ) {
        guard let reading = line.readings[symbol] else { return (.empty, .empty) }
        guard let quote = reading.quote else { return (Cell("-"), .empty) }
        let price = Cell(wording.money.text(quote))
        if reading.validity(at: now) == .stale { return (price, Cell("stale", .banner)) }
        guard let change = line.change(of: symbol, at: now) else { return (price, .empty) }
        let meaning: Palette.Meaning? = change > 0 ? .up : change < 0 ? .down : nil
        return (price, Cell(wording.money.percentage(hundredths: change), meaning))
    }

    private func headerLine(_ symbols: [Symbol]) -> String {
        line(.empty, symbols, symbols.map { (Cell($0.text), .empty) }, end: "")
    }

    private func line(
        _ time: Cell, _ symbols: [Symbol], _ cells: [(price: Cell, change: Cell)], end: String
    ) -> String {
        var line = CellLine(palette)
        line.add(time, width: timeWidth)
        // Blanks are written when something follows them.
        var blanks = 0
        for (symbol, (price, change)) in zip(symbols, cells) {
            for (cell, width) in [(price, widths[symbol]!.price), (change, widths[symbol]!.change)] {
                blanks += Self.gap.count + width - cell.columns
                if cell.columns == 0 { continue }
                line.add(blanks: blanks)
                line.add(cell, width: cell.columns)
                blanks = 0
            }
        }
        if !end.isEmpty {
            line.add(blanks: blanks)
            line.add(Cell(" " + end), width: 0)
        }
        return line.text
    }
}
