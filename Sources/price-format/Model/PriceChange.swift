import Foundation
import PipeCommon

/// Where a price has gone since the one before it.
enum PriceChange: Equatable {
    case up(Decimal)
    case down(Decimal)

    /// - Returns: nil when it has not moved, or when there is none before.
    init?(from old: Quote?, to new: Quote) {
        guard let old, old.currency == new.currency, let before = Decimal(string: old.price.text),
            let after = Decimal(string: new.price.text), after != before
        else { return nil }
        self = after > before ? .up(after - before) : .down(before - after)
    }

    /// A sign as well as a colour.
    func text(_ glyphs: Glyphs, _ locale: Locale) -> String {
        let style = Decimal.FormatStyle(locale: locale).precision(.fractionLength(2...12))
        return switch self {
        case .up(let difference): "\(glyphs.up) +\(difference.formatted(style))"
        case .down(let difference): "\(glyphs.down) -\(difference.formatted(style))"
        }
    }

    var meaning: Palette.Meaning {
        if case .up = self { .up } else { .down }
    }
}
