import PipeCommon

/// What a person has chosen to see of a board.
struct BoardChoice {
    enum Page {
        case list, details
    }

    var page: Page
    var order: BoardOrder
    var isReversed = false
    var selected: Symbol?
    /// The place of the selected row in the list. It stays there while the others are sorted around it.
    var place = 0
    /// What is being looked for; nil when nothing is.
    var find: String?
    var selectedBeforeFind: Symbol?
    var isHelpShown = false
    /// Shown until the next key.
    var notice: String?

    /// - Parameter symbol: the symbol whose details are shown first; nil for the list.
    init(order: BoardOrder = .price, opening symbol: Symbol? = nil) {
        (self.order, selected) = (order, symbol)
        page = symbol == nil ? .list : .details
    }
}

extension Board {
    /// The places in `rows`, as they are listed.
    var list: [Int] {
        let sorted = sorted
        guard let rank = sorted.firstIndex(where: { rows[$0].symbol == choice.selected }) else {
            return sorted
        }
        var list = sorted
        list.insert(list.remove(at: rank), at: min(choice.place, sorted.count - 1))
        return list
    }

    var sorted: [Int] {
        choice.order.places(of: rows, isReversed: choice.isReversed) { row in
            // Of what is shown.
            hasCandles ? today(row) : row.move?.share(of: row.quoted)
        }
    }
}
