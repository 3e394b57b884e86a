import PipeCommon

/// Lays out the lines of a table in columns: the time, then each symbol's price and its change. A column is as wide as the
/// widest text so far, so that the lines of a burst are aligned, and those of a live table after a while. On a
/// terminal, symbols that do not fit in a line continue on the next one, so that no price is cut.
struct TableView {
    private static let gap = "  "

    private let wording: Wording
    private let palette: Palette
    private let days: LocalTimeFormatter
    private let ellipsis: String
    private let columns: () -> Int?
    private var header: [Symbol] = []
    private var timeWidth = 0
    private var widths: [Symbol: (price: Int, change: Int)] = [:]

    /// - Parameters:
    ///   - days: writes the days of candles, in UTC: they begin at its midnight.
    ///   - ellipsis: replaces a price that is wider than the terminal.
    ///   - columns: the width of the terminal, if there is one.
    init(
        _ wording: Wording, _ palette: Palette, days: LocalTimeFormatter, ellipsis: String = "…",
        columns: @escaping () -> Int? = { nil }
    ) {
        (self.wording, self.palette, self.days) = (wording, palette, days)
        (self.ellipsis, self.columns) = (ellipsis, columns)
    }

    /// The lines, after a header if there are columns that have none yet.
    mutating func text(_ lines: [TableLine], _ symbols: [Symbol], at now: Timestamp) -> [(Timestamp?, String)]
    {
        guard !lines.isEmpty else { return [] }
        let rows = lines.map { line in
            (line, time(of: line, at: now), symbols.map { cells(of: $0, in: line, at: now) })
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
                let isOpen = line.beat.readings.values.contains { $0.validity(at: now) == .open }
                return (line.beat.at, self.line(time, symbols, cells, end: isOpen ? "open" : ""))
            }
    }

    /// Says from when the prices are.
    func footer(_ table: Table, at now: Timestamp) -> String {
        guard let time = table.time(of: table.symbols) else { return palette.paint("No data", .down) }
        let symbols = table.outOfDate(at: now)
        if symbols.isEmpty { return "Data from \(wording.text(time, at: now))" }
        let (count, all) = (symbols.count, table.symbols.count)
        let named = count == 1 ? symbols[0].text : "\(count) of \(all) symbols"
        guard let old = table.time(of: symbols) else {
            return palette.paint("No data of \(named), the others from \(wording.text(time, at: now))", .down)
        }
        let age = Age(since: old, at: now).text
        let name = count == all ? "" : "\(named) "
        return palette.paint("Out of date: \(name)from \(wording.text(old, at: now)), \(age) ago", .down)
    }

    private func time(of line: TableLine, at now: Timestamp) -> Cell {
        let beat = line.beat
        let time = beat.at ?? beat.readings.values.compactMap { $0.quote?.timestamp }.max()
        return Cell(time.map { beat.candle == .day ? days.text($0) : wording.text($0, at: now) } ?? "-")
    }

    private func cells(of symbol: Symbol, in line: TableLine, at now: Timestamp) -> (
        price: Cell, change: Cell
    ) {
        guard let reading = line.beat.readings[symbol], let quote = reading.quote else {
            return (Cell("-"), .empty)
        }
        let price = Cell(wording.money.text(quote))
        if reading.validity(at: now) == .stale { return (price, Cell("stale", .banner)) }
        if reading.isDisputed { return (price, Cell("disputed", .banner)) }
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
        let room = (columns() ?? .max) - timeWidth
        var line = CellLine(palette)
        line.add(time, width: timeWidth)
        // Blanks are written when something follows them.
        var (blanks, used) = (0, 0)
        func makeRoom(for width: Int) {
            if used > 0, used + width > room {
                line.addLineEnd()
                (blanks, used) = (timeWidth, 0)
            }
            used += width
        }
        func add(_ cell: Cell, width: Int) {
            blanks += width - cell.columns
            if cell.columns == 0 { return }
            line.add(blanks: blanks)
            line.add(cell, width: cell.columns)
            blanks = 0
        }
        for (symbol, (price, change)) in zip(symbols, cells) {
            let (priceWidth, changeWidth) = widths(of: symbol, within: room)
            let isTogether = priceWidth + changeWidth <= room
            makeRoom(for: isTogether ? priceWidth + changeWidth : priceWidth)
            add(Self.gap.count + price.columns <= room ? price : Cell(ellipsis), width: priceWidth)
            if !isTogether, change.columns == 0 { continue }
            if !isTogether { makeRoom(for: changeWidth) }
            add(change, width: changeWidth)
        }
        if !end.isEmpty {
            makeRoom(for: end.columns + 1)
            add(Cell(" " + end), width: end.columns + 1)
        }
        return line.text
    }

    /// The widths of both columns of a symbol, each with the gap before it.
    private func widths(of symbol: Symbol, within room: Int) -> (price: Int, change: Int) {
        let (price, change) = widths[symbol]!
        let least = Self.gap.count + ellipsis.columns
        return (max(least, min(Self.gap.count + price, room)), Self.gap.count + change)
    }
}
