import Foundation
import PipeCommon

/// The change from one price to the next.
enum PriceChange: Equatable {
    case up(Decimal)
    case down(Decimal)

    /// - Returns: nil when the price is the same, or when the two cannot be compared: two sources or two markets have
    ///   two prices, and the difference between them is not a movement.
    init?(from old: Reading, to new: Reading) {
        guard old.source == new.source, let old = old.quote, let new = new.quote,
            old.currency == new.currency, old.market == new.market,
            let before = Decimal(string: old.price.text), let after = Decimal(string: new.price.text),
            after != before
        else { return nil }
        self = after > before ? .up(after - before) : .down(before - after)
    }
}
