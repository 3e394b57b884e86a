import PipeCommon

/// The user's choices on a board.
struct BoardChoice {
    enum Page {
        case list, details
    }

    var page = Page.list
    /// The range of the chart on the details page.
    var range = ChartRange.day
    /// Whether the chart on the details page is a line even if candlesticks could be drawn.
    var isLine = false
    var order = BoardOrder.price
    var isReversed = false
    /// The selected symbol; nil if none is selected. On the details page, nil only until a symbol appears.
    var selected: Symbol?
    /// The position of the selected row in the list. If the list is long enough, the row keeps this position while the
    /// other rows are sorted around it. If nil, the next sorting determines the position.
    var place: Int?
    /// The search text while the user is typing it; otherwise nil.
    var find: String?
    /// Whether typing has changed the search text since the rows were last sorted.
    var isFindNew = false
    var selectedBeforeFind: Symbol?
    /// The text of the finished search, used to list only rows whose symbol or name contains it; nil if there is none
    /// or if the search found nothing.
    var filter: String?
    var isHelpShown = false
    /// A message that is shown until the board handles another key.
    var notice: String?
}

/// The possible orders of the rows, which are also the values of `--sort`.
enum BoardOrder: String, CaseIterable {
    case price, name, change, given

    var next: BoardOrder {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }

    /// - Parameter change: returns the value by which a row is sorted if the order is `change`.
    /// - Returns: the indices of the rows in this order. Unless the order is reversed, prices and changes are sorted
    ///   from highest to lowest, symbols from A to Z, and `given` is the order of appearance. Rows without a value come
    ///   last, even if the order is reversed. Rows with equal values, and rows without a value, are sorted by symbol.
    func places(of rows: [BoardRow], isReversed: Bool, change: (BoardRow) -> Int?) -> [Int] {
        switch self {
        case .price: Self.places(of: rows, rows.map(\.units), isReversed)
        case .change: Self.places(of: rows, rows.map(change), isReversed)
        case .name: Self.places(of: rows, rows.map(\.symbol.text), !isReversed)
        case .given: isReversed ? rows.indices.reversed() : Array(rows.indices)
        }
    }

    private static func places<Value: Comparable>(
        of rows: [BoardRow], _ values: [Value?], _ isAscending: Bool
    ) -> [Int] {
        values.indices.sorted { left, right in
            switch (values[left], values[right]) {
            case (let first?, let second?) where first != second: (first < second) == isAscending
            case (_?, nil): true
            case (nil, _?): false
            default: rows[left].symbol.text < rows[right].symbol.text
            }
        }
    }
}

extension Board {
    /// Sorts the rows and applies the search.
    mutating func arrange() {
        let now = beats.at ?? .now()
        list = choice.order.places(of: rows, isReversed: choice.isReversed) { row in
            // The header names the same value: today's change if `hasCandles` is true, otherwise the last change.
            hasCandles ? today(row, at: now) : row.move?.share(of: row.quoted)
        }
        isArranged = true
        if let text = choice.find ?? choice.filter, !text.isEmpty {
            let found = list.filter { isFound(rows[$0].symbol, text) }
            // If no row contains the text, all rows stay listed.
            if !found.isEmpty { list = found }
        }
        finishFind()
        guard let selected = choice.selected, let row = places[selected], let rank = list.firstIndex(of: row)
        else { return }
        let place = min(choice.place ?? rank, list.count - 1)
        choice.place = place
        list.insert(list.remove(at: rank), at: place)
    }
}
