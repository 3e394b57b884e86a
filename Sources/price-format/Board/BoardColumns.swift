/// The columns of a board: how wide they are, and which of them there is room for. A column is as wide as the widest text
/// so far, so that it stays where it is. Those at the right are left out first, but never the mark of a stale or disputed
/// price. Pure.
struct BoardColumns {
    /// From left to right. The first three are always there.
    private enum Column: Int, CaseIterable {
        case symbol, price, sign, move, today, minute, age, source
    }

    private static let titles: [Styled] = [
        "SYMBOL", "PRICE", "", "LAST MOVE", "TODAY", "1 MIN   ", "AGE", "FROM",
    ]
    /// Before each column. Before the first one there may be the mark of the selected row.
    private static let gaps = [2, 2, 1, 2, 2, 2, 2, 2]

    private let glyphs: Glyphs
    private let width: Int
    private var widths = [8, 12, 1, 10, 9, 8, 5, 7]
    private var shown: ArraySlice<Column> = []

    /// - Parameter width: that of the terminal.
    init(width: Int, _ glyphs: Glyphs) {
        (self.width, self.glyphs) = (width, glyphs)
    }

    /// Makes room for some rows.
    mutating func fit(_ rows: [BoardRowText], hasToday: Bool) {
        for row in rows {
            for (column, cell) in [
                (Column.symbol, row.symbol), (.price, row.price), (.move, row.move), (.today, row.today),
            ] {
                widths[column.rawValue] = max(widths[column.rawValue], cell.columns)
            }
        }
        let columns = Column.allCases.filter { $0 != .today || hasToday }
        var room = width
        let count = columns.prefix { column in
            room -= Self.gaps[column.rawValue] + widths[column.rawValue]
            return room >= 0
        }.count
        shown = columns.prefix(count)
    }

    private var isNarrow: Bool { shown.count < 3 }

    var titleLine: Styled {
        isNarrow ? width < 6 ? .empty : "SYMBOL" : line(.empty) { Self.titles[$0.rawValue] }
    }

    func line(_ row: BoardRowText, isSelected: Bool) -> Styled {
        if isNarrow { return narrowLine(row) }
        return line(isSelected ? Styled(glyphs.selection, .price) : .empty) { column in
            switch column {
            case .symbol: row.symbol
            case .price: row.price
            case .sign: row.sign
            // If the column of ages is left out, the age of a stale price replaces its move.
            case .move: row.isStale && !shown.contains(.age) ? row.age : row.move
            case .today: row.today
            case .minute: row.minute
            case .age: row.age
            case .source: row.source
            }
        }
    }

    private func line(_ mark: Styled, _ cell: (Column) -> Styled) -> Styled {
        var line = mark.atStart(of: Self.gaps[0])
        for column in shown {
            let (cell, gap, width) = (cell(column), Self.gaps[column.rawValue], widths[column.rawValue])
            switch column {
            case .symbol: line += cell.atStart(of: width)
            case .source:
                line += .blanks(gap) + cell.shortened(to: self.width - line.columns - gap, glyphs.ellipsis)
            default: line += cell.atEnd(of: gap + width)
            }
        }
        return line
    }

    /// Symbol, price and mark as far as there is room: a price that does not fit is replaced as a whole, then the
    /// symbol is; the mark stays.
    private func narrowLine(_ row: BoardRowText) -> Styled {
        let (room, ellipsis) = (width - 2, Styled(glyphs.ellipsis))
        var line = Styled.empty
        if let price = [row.price, ellipsis].first(where: { row.symbol.columns + 1 + $0.columns <= room }) {
            line = row.symbol.atStart(of: room - price.columns) + price
        } else if let text = [row.symbol, ellipsis].first(where: { $0.columns <= room }) {
            line = text.atStart(of: room)
        } else if !row.isMarked {
            return Styled(String(glyphs.ellipsis.prefix(width)))
        }
        return line + row.sign.atEnd(of: room < 1 ? 1 : 2)
    }
}
