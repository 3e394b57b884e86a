/// The columns of a board: how wide they are, and which of them there is room for. A column is as wide as the
/// widest text so far, so that it does not move. The price and its mark are the last to be left out. Pure.
struct BoardColumns {
    /// From left to right.
    private enum Column: Int, CaseIterable {
        case symbol, name, price, sign, move, today, minute, month, age, source
    }

    private static let titles: [Styled] = [
        "SYMBOL", "NAME", "PRICE", "", "LAST MOVE", "TODAY", "1 MIN", "31 DAYS", "AGE", "FROM",
    ]
    /// The blanks before each column. Those before the first may hold the mark of the selected row.
    private static let gaps = [2, 2, 2, 1, 2, 2, 2, 2, 2, 2]
    /// The order in which columns get room. The first one that does not fit is left out, with all that follow it.
    private static let order: [Column] = [
        .symbol, .price, .sign, .today, .move, .minute, .age, .source, .name, .month,
    ]
    /// The possible widths of the last minute, and the room that is kept for the longest source names.
    private static let minutes = (cells: [60, 30, 20, 8], source: 13)
    private static let longestName = 20
    /// On narrower terminals there is never room for the last 31 days.
    static let leastForMonths = 110

    private let glyphs: Glyphs
    private let width: Int
    private var widths = [8, 0, 12, 1, 10, 9, 8, 31, 5, 7]
    private var shown: [Column] = []

    /// - Parameter width: the width of the terminal.
    init(width: Int, _ glyphs: Glyphs) {
        (self.width, self.glyphs) = (width, glyphs)
    }

    /// Widens the columns for some rows, and chooses the columns that fit.
    mutating func fit(_ rows: [BoardRowText], hasToday: Bool, hasMonths: Bool) {
        for row in rows {
            widen(.symbol, row.symbol.columns)
            widen(.name, min(Self.longestName, row.name.columns))
            widen(.price, row.price.columns)
            widen(.move, row.move.columns)
            widen(.today, row.today.columns)
        }
        widths[Column.minute.rawValue] = 8
        let columns = Self.order.filter { column in
            switch column {
            case .today: hasToday
            case .month: hasMonths && width >= Self.leastForMonths
            default: widths[column.rawValue] > 0
            }
        }
        var room = width
        let fitting = columns.prefix { column in
            room -= Self.gaps[column.rawValue] + widths[column.rawValue]
            return room >= 0
        }
        shown = Column.allCases.filter(fitting.contains)
        if fitting.count == columns.count { widenMinute(into: room) }
    }

    private mutating func widen(_ column: Column, _ width: Int) {
        widths[column.rawValue] = max(widths[column.rawValue], width)
    }

    /// - Parameter room: the terminal columns that are left over.
    private mutating func widenMinute(into room: Int) {
        let room = room - Self.minutes.source + widths[Column.source.rawValue]
        widen(.minute, Self.minutes.cells.first { $0 - 8 <= room } ?? 8)
    }

    private var isNarrow: Bool { shown.count < 3 }

    var titleLine: Styled {
        if isNarrow { return width < 6 ? .empty : "SYMBOL" }
        return line(.empty) { column in
            let title = Self.titles[column.rawValue]
            return [.minute, .month].contains(column) ? title.atStart(of: widths[column.rawValue]) : title
        }
    }

    func line(_ row: BoardRowText, isSelected: Bool) -> Styled {
        let mark = isSelected ? Styled(glyphs.selection, .price) : .empty
        let line = isNarrow ? narrowLine(row) : line(mark) { cell($0, of: row) }
        return isSelected ? line.atStart(of: width).reversed : line
    }

    private func cell(_ column: Column, of row: BoardRowText) -> Styled {
        // Without the age column, the age of a stale price replaces its last move, or today's change.
        let hasAge = row.isStale && !shown.contains(.age)
        return switch column {
        case .symbol: row.symbol
        case .name: row.name.shortened(to: widths[column.rawValue], glyphs.ellipsis)
        case .price: row.price
        case .sign: row.sign
        case .move: hasAge ? row.age : row.move
        case .today: hasAge && !shown.contains(.move) ? row.age : row.today
        case .minute: row.minute(widths[column.rawValue])
        case .month: row.month()
        case .age: row.age
        case .source: row.source
        }
    }

    private func line(_ mark: Styled, _ cell: (Column) -> Styled) -> Styled {
        var line = mark.atStart(of: Self.gaps[0])
        for column in shown {
            let (cell, gap, width) = (cell(column), Self.gaps[column.rawValue], widths[column.rawValue])
            switch column {
            case .symbol: line += cell.atStart(of: width)
            case .name: line += .blanks(gap) + cell.atStart(of: width)
            case .source:
                line += .blanks(gap) + cell.shortened(to: self.width - line.columns - gap, glyphs.ellipsis)
            default: line += cell.atEnd(of: gap + width)
            }
        }
        return line
    }

    /// Symbol, price and sign as far as there is room. An arrow is left out first; then the symbol is shortened. A
    /// price that does not fit is replaced by an ellipsis. The mark of a stale or disputed price stays.
    private func narrowLine(_ row: BoardRowText) -> Styled {
        let (both, ellipsis) = (row.symbol.columns + 1 + row.price.columns, Styled(glyphs.ellipsis))
        let hasSign = row.isMarked || both + 2 <= width
        let room = hasSign ? width - 2 : width
        var line = Styled.empty
        if row.price.columns <= room {
            let left = room - row.price.columns - 1
            let symbol = left > ellipsis.columns ? row.symbol.shortened(to: left, glyphs.ellipsis) : .empty
            line = symbol.atStart(of: left + 1) + row.price
        } else if row.symbol.columns + 1 + ellipsis.columns <= room {
            line = row.symbol.atStart(of: room - ellipsis.columns) + ellipsis
        } else if let text = [row.symbol, ellipsis].first(where: { $0.columns <= room }) {
            line = text.atStart(of: room)
        } else if !hasSign {
            return Styled(String(glyphs.ellipsis.prefix(width)))
        }
        return hasSign ? line + row.sign.atEnd(of: room < 1 ? 1 : 2) : line
    }
}
