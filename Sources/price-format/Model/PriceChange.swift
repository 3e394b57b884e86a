import Foundation
import PipeCommon

/// The change from one price to the next.
enum PriceChange: Equatable {
    case up(Decimal)
    case down(Decimal)

    /// - Returns: nil when the price is the same, or cannot be compared.
    init?(from old: Quote?, to new: Quote) {
        guard let old, old.currency == new.currency, let before = Decimal(string: old.price.text),
            let after = Decimal(string: new.price.text), after != before
        else { return nil }
        self = after > before ? .up(after - before) : .down(before - after)
    }
}
