import Foundation
import PipeCommon

/// A quote's price in the words of a locale: `$68,901.23`. Half a cent goes away from zero; a price below
/// one keeps all its digits, since `$0.00` is no price.
struct Money {
    private let locale: Locale

    init(locale: Locale) {
        self.locale = locale
    }

    func text(_ quote: Quote) -> String {
        let amount = Decimal(string: quote.price.text)!
        let style = Decimal.FormatStyle.Currency(code: quote.currency.code, locale: locale)
            .rounded(rule: .toNearestOrAwayFromZero)
        return amount.formatted(amount < 1 ? style.precision(.fractionLength(2...12)) : style)
    }
}
