import PipeCommon

/// The latest reading of each symbol and its last change, in the order in which the symbols first appeared.
/// Pure.
struct Board {
    struct Row: Equatable {
        var reading: Reading
        /// The change that the last new quote brought; nil when it brought none.
        var change: PriceChange?
    }

    private(set) var rows: [Row] = []

    mutating func record(_ reading: Reading) {
        let index = rows.firstIndex { $0.reading.pricedSymbol == reading.pricedSymbol }
        guard let index else {
            rows.append(Row(reading: reading))
            return
        }
        if reading.isFresh {
            rows[index].change = PriceChange(from: rows[index].reading, to: reading)
        }
        rows[index].reading = reading
    }
}
