import PipeCommon

/// The order of the rows: the value of `--sort`.
enum BoardOrder: String, CaseIterable {
    case price, name, change, given

    var next: BoardOrder {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }

    /// - Parameter change: what a row is sorted by if this is `change`.
    /// - Returns: the places of the rows: the highest price or change first, names from A to Z. Rows without a value are
    ///   last, also when the others are reversed.
    func places(of rows: [BoardRow], isReversed: Bool, change: (BoardRow) -> Int?) -> [Int] {
        switch self {
        case .price: Self.places(rows.map(\.units), isReversed)
        case .change: Self.places(rows.map(change), isReversed)
        case .name: Self.places(rows.map(\.symbol.text), !isReversed)
        case .given: isReversed ? rows.indices.reversed() : Array(rows.indices)
        }
    }

    private static func places<Value: Comparable>(_ values: [Value?], _ isAscending: Bool) -> [Int] {
        values.indices.sorted { left, right in
            switch (values[left], values[right]) {
            case (let first?, let second?) where first != second: (first < second) == isAscending
            case (_?, nil): true
            case (nil, _?): false
            default: left < right
            }
        }
    }
}
