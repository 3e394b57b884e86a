/// Determines which columns of a board are shown, and how wide they are. Until the width of the terminal changes, most
/// columns grow with their texts and do not shrink again, so that they do not move with each new price. The symbol, the
/// price and its mark get room first. Pure.
struct BoardColumns {
    /// The columns in the order in which they get room. The first column that does not fit is left out, and so are all
    /// columns after it in this order.
    private enum Name: Comparable {
        case symbol, price, sign, value, gain, today, move, minute, age, source
        case holding, name, low, high, month
    }

    private struct Column {
        let name: Name
        var title: Styled = .empty
        /// The number of blanks before the column. A right-aligned text that is wider than the column may extend into
        /// them. The mark of the selected row replaces the first of the blanks before the first column.
        var gap = 2
        /// The width so far. A column whose width is 0 is left out.
        var width: Int
        /// The maximum width to which texts may widen the column; nil if its width does not depend on texts.
        var most: Int?
        var isAtStart = false
        let text: @Sendable (BoardRowText, _ width: Int) -> Styled
    }

    /// The columns from left to right. The last column is wide enough for the names of most sources.
    private var columns = [
        Column(name: .symbol, title: "SYMBOL", width: 8, most: .max, isAtStart: true) { row, _ in
            row.symbol
        },
        Column(name: .name, title: "NAME", width: 0, most: 20, isAtStart: true) { row, _ in row.name },
        Column(name: .price, title: "PRICE", width: 12, most: .max) { row, _ in row.price },
        Column(name: .sign, gap: 1, width: 1) { row, _ in row.sign },
        Column(name: .move, title: "LAST MOVE", width: 10, most: .max) { row, _ in row.move },
        Column(name: .today, title: "TODAY", width: 9, most: .max) { row, _ in row.today },
        Column(name: .low, title: "DAY LOW", width: 0, most: .max) { row, _ in row.low },
        Column(name: .high, title: "DAY HIGH", width: 0, most: .max) { row, _ in row.high },
        Column(name: .holding, title: "HOLDING", width: 0, most: .max) { row, _ in row.holding },
        Column(name: .value, title: "VALUE", width: 0, most: .max) { row, _ in row.value },
        Column(name: .gain, title: "GAIN", width: 0, most: .max) { row, _ in row.gain },
        Column(name: .minute, title: "1 MIN", width: 8) { row, width in row.minute(width) },
        Column(name: .month, title: "31 DAYS", width: 31) { row, _ in row.month() },
        Column(name: .age, title: "AGE", width: 5) { row, _ in row.age },
        Column(name: .source, title: "FROM", width: 7, isAtStart: true) { row, width in
            row.source(width)
        },
    ]
    /// The widths to which the 1 MIN column may grow. Before this column grows, the width `source` is reserved for the
    /// FROM column, which usually shows the source.
    private static let minutes = (cells: [60, 30, 20], source: 13)
    /// A terminal with fewer columns than this never has room for the 31 DAYS column.
    static let leastForMonths = 126

    private let glyphs: Glyphs
    private let width: Int
    private var shown: [Column] = []

    /// - Parameter width: the width of the terminal.
    init(width: Int, _ glyphs: Glyphs) {
        (self.width, self.glyphs) = (width, glyphs)
    }

    /// Widens the columns, up to their maximum widths, to fit the texts of the given rows, and chooses the columns to
    /// show.
    mutating func fit(_ rows: [BoardRowText], hasToday: Bool, hasMonths: Bool) {
        for place in columns.indices {
            guard let most = columns[place].most else { continue }
            for row in rows {
                let width = columns[place].text(row, columns[place].width).columns
                columns[place].width = max(columns[place].width, min(most, width))
            }
            if columns[place].width > 0 {
                columns[place].width = max(columns[place].width, columns[place].title.columns)
            }
        }
        let wanted = columns.filter { column in
            switch column.name {
            case .today: hasToday
            case .month: hasMonths
            default: column.width > 0
            }
        }
        // The 1 MIN column gets room for its second-smallest width before the 31 DAYS column gets any room.
        let kept = Self.minutes.cells[2] - 8 + Self.minutes.source - 7
        var room = width
        let fitting = wanted.sorted { $0.name < $1.name }.prefix { column in
            let needed = column.gap + column.width
            guard room >= needed + (column.name == .month ? kept : 0) else { return false }
            room -= needed
            return true
        }
        shown = wanted.filter { column in fitting.contains { $0.name == column.name } }
        if fitting.count >= wanted.count(where: { $0.name != .month }) {
            widenMinute(into: room, atMost: fitting.count == wanted.count ? .max : Self.minutes.cells[2])
        }
    }

    /// - Parameter room: the number of terminal columns that are left over.
    private mutating func widenMinute(into room: Int, atMost most: Int) {
        let room = room - Self.minutes.source + shown.last!.width
        let place = shown.firstIndex { $0.name == .minute }!
        let least = shown[place].width
        shown[place].width = Self.minutes.cells.first { $0 <= min(least + room, most) } ?? least
    }

    private var isNarrow: Bool { shown.count < 3 }

    var titleLine: Styled {
        if isNarrow { return width < 6 ? .empty : "SYMBOL" }
        return line(.empty) { column, _ in
            [.minute, .month].contains(column.name) ? column.title.atStart(of: column.width) : column.title
        }
    }

    func line(_ row: BoardRowText, isSelected: Bool) -> Styled {
        let mark = isSelected ? Styled(glyphs.selection, .price) : .empty
        // If the AGE column is not shown, a stale price's age is shown in the LAST MOVE column if there is one,
        // otherwise in the TODAY column if there is one.
        let aged =
            row.isStale && !isShown(.age) ? shown.first { [.move, .today].contains($0.name) }?.name : nil
        let line =
            isNarrow
            ? narrowLine(row)
            : line(mark) { $0.name == aged ? row.age : $0.text(row, $1) }
        return isSelected ? line.atStart(of: width).reversed : line
    }

    var hasValues: Bool { isShown(.value) }
    /// Whether the list contains the DAY LOW column, with or without the DAY HIGH column.
    var hasDays: Bool { isShown(.low) }

    private func isShown(_ name: Name) -> Bool { shown.contains { $0.name == name } }

    private func line(_ mark: Styled, _ cell: (Column, _ width: Int) -> Styled) -> Styled {
        var line = Styled.empty
        for column in shown {
            let isLast = column.name == .source
            let width = isLast ? max(0, self.width - line.columns - column.gap) : column.width
            let text = cell(column, width)
            let cell = column.isAtStart ? text.shortened(to: width, glyphs.ellipsis) : text
            line +=
                line.columns == 0 ? mark.atStart(of: column.gap) : .blanks(column.isAtStart ? column.gap : 0)
            if isLast {
                line += cell
            } else {
                line += column.isAtStart ? cell.atStart(of: width) : cell.atEnd(of: column.gap + width)
            }
        }
        return line
    }

    /// The symbol, the price, and the arrow or mark of the price, as far as there is room. If there is too little room,
    /// the arrow is left out first; then the symbol is shortened or left out. A price that does not fit even without
    /// the symbol is left out, and an ellipsis takes its place if there is room. The mark of a stale or disputed price
    /// stays.
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
        return hasSign ? line + row.sign.atEnd(of: min(width, 2)) : line
    }
}
