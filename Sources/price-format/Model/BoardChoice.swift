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
    /// The place of the selected row in the list. It stays there while the others are sorted around it. Nil until the row
    /// has been sorted.
    var place: Int?
    /// What is being looked for; nil when nothing is.
    var find: String?
    /// Whether it has changed since the rows were sorted.
    var isFindNew = false
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
    /// Sorts the rows and looks for what is to be found: once per frame, however many keys were typed.
    mutating func arrange() {
        list = choice.order.places(of: rows, isReversed: choice.isReversed) { row in
            // Of what is shown.
            hasCandles ? today(row) : row.move?.share(of: row.quoted)
        }
        isArranged = true
        finishFind()
        guard let rank = list.firstIndex(where: { rows[$0].symbol == choice.selected }) else { return }
        let place = min(choice.place ?? rank, list.count - 1)
        choice.place = place
        list.insert(list.remove(at: rank), at: place)
    }
}
