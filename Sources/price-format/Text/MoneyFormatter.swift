import Foundation
import PipeCommon

/// A quote's price in the words of a locale: `$68,901.23`. Half a cent goes away from zero; a price below
/// one keeps all its digits, since `$0.00` is no price.
final class MoneyFormatter {
    private let locale: Locale
    private var patterns: [Currency: DigitTemplate] = [:]
    private var last: (currency: Currency, pattern: DigitTemplate)?

    init(locale: Locale) {
        self.locale = locale
    }

    func text(_ quote: Quote) -> String {
        var text = ByteBuffer()
        append(quote, to: &text)
        return text.text
    }

    func append(_ quote: Quote, to text: inout ByteBuffer) {
        if !quote.price.isBelowOne, pattern(of: quote.currency).append(quote.price, to: &text) { return }
        text.append(libraryText(Decimal(string: quote.price.text)!, quote.currency))
    }

    /// How the library writes an amount.
    func libraryText(_ amount: Decimal, _ currency: Currency) -> String {
        let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
            .rounded(rule: .toNearestOrAwayFromZero)
        return amount.formatted(amount < 1 ? style.precision(.fractionLength(2...12)) : style)
    }

    private func pattern(of currency: Currency) -> DigitTemplate {
        if let last, last.currency == currency { return last.pattern }
        let pattern = patterns[currency] ?? DigitTemplate { self.libraryText($0, currency) }
        patterns[currency] = pattern
        last = (currency, pattern)
        return pattern
    }
}
