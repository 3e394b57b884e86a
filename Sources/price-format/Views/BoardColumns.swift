/// The columns of a board: how wide they are, and which of them there is room for. Those at the right are left out
/// first, but never the mark of a stale or disputed price. Pure.
struct BoardColumns {
    private enum Least {
        static let symbol = 8, price = 12, move = 10, today = 9, minute = 8, age = 5, source = 7
    }

    /// Between two columns, and before the first one, which may have the mark of the selected row there.
    private static let gap = 2

    private let width: Int
    private let symbol: Int
    private let price: Int
    private let move: Int
    private let today: Int
    private let palette: Palette
    private let glyphs: Glyphs

    // Which columns there is room for.
    private var hasMove = false
    private var hasToday = false
    private var hasMinute = false
    private var hasAge = false
    private var source = 0

    /// - Parameter rows: all rows, including those that do not fit, so that the columns stay where they are while
    ///   a person moves through the list.
    init(_ rows: [BoardRowText], width: Int, hasToday: Bool, _ palette: Palette, _ glyphs: Glyphs) {
        (self.width, self.palette, self.glyphs) = (width, palette, glyphs)
        symbol = rows.reduce(Least.symbol) { max($0, $1.symbol.columns) }
        price = rows.reduce(Least.price) { max($0, $1.price.columns) }
        move = rows.reduce(Least.move) { max($0, $1.move.columns) }
        today = rows.reduce(Least.today) { max($0, $1.today.columns) }
        var rest = width - Self.gap - symbol - Self.gap - price - 2
        func take(_ columns: Int) -> Bool {
            rest -= columns + Self.gap
            return rest >= 0
        }
        hasMove = take(move)
        self.hasToday = hasToday && take(today)
        hasMinute = take(Least.minute)
        hasAge = take(Least.age)
        source = take(Least.source) ? rest + Least.source : 0
    }

    private var isNarrow: Bool { width < Self.gap + symbol + Self.gap + price + 2 }

    /// The titles of the columns.
    var titles: String {
        var line = CellLine(palette)
        if isNarrow { return width < 6 ? "" : "SYMBOL" }
        line.add(blanks: Self.gap)
        line.add(Cell("SYMBOL"), width: symbol)
        line.add(Cell("PRICE"), atEndOf: Self.gap + price)
        line.add(blanks: 2)
        if hasMove { line.add(Cell("LAST MOVE"), atEndOf: Self.gap + move) }
        if hasToday { line.add(Cell("TODAY"), atEndOf: Self.gap + today) }
        if hasMinute { line.add(Cell("  1 MIN"), width: Self.gap + Least.minute) }
        if hasAge { line.add(Cell("AGE"), atEndOf: Self.gap + Least.age) }
        if source > 0 { line.add(Cell("  FROM"), width: 0) }
        return line.text
    }

    func line(_ row: BoardRowText, isSelected: Bool) -> String {
        var line = CellLine(palette)
        if isNarrow {
            addNarrow(row, to: &line)
            return line.text
        }
        line.add(isSelected ? Cell(glyphs.selection, columns: 1, .price) : .empty, width: Self.gap)
        line.add(row.symbol, width: symbol)
        line.add(row.price, atEndOf: Self.gap + price)
        line.add(row.sign, atEndOf: 2)
        // If the column of ages is left out, the age of a stale price replaces its move.
        let move = row.isStale && !hasAge ? row.age : row.move
        if hasMove { line.add(move, atEndOf: Self.gap + self.move) }
        if hasToday { line.add(row.today, atEndOf: Self.gap + today) }
        if hasMinute {
            line.add(blanks: Self.gap)
            line.add(row.minute, atEndOf: Least.minute)
        }
        if hasAge { line.add(row.age, atEndOf: Self.gap + Least.age) }
        if source > 0 {
            line.add(blanks: Self.gap)
            line.add(Cell(row.source.text.shortened(to: source, glyphs.ellipsis)), width: 0)
        }
        return line.text
    }

    /// Symbol, price and mark as far as there is room: a price that does not fit is replaced as a whole, then the
    /// symbol is; the mark stays.
    private func addNarrow(_ row: BoardRowText, to line: inout CellLine) {
        let room = width - 2
        let ellipsis = Cell(glyphs.ellipsis)
        if row.symbol.columns + 1 + row.price.columns <= room {
            line.add(row.symbol, width: room - row.price.columns)
            line.add(row.price, width: 0)
        } else if row.symbol.columns + 1 + ellipsis.columns <= room {
            line.add(row.symbol, width: room - ellipsis.columns)
            line.add(ellipsis, width: 0)
        } else if let cell = [row.symbol, ellipsis].first(where: { $0.columns <= room }) {
            line.add(cell, width: room)
        } else if !row.isMarked {
            return line.add(Cell(String(glyphs.ellipsis.prefix(width))), width: 0)
        }
        line.add(row.sign, atEndOf: room < 1 ? 1 : 2)
    }
}
