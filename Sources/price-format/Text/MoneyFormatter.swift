import Foundation
import PipeCommon

/// Writes prices as a locale does: `$68,901.23`. They are rounded half away from zero to the decimals of the
/// currency. A price below one keeps all its digits, since `$0.00` is not a price.
final class MoneyFormatter {
    private let locale: Locale
    private var templates: [Currency: DigitTemplate] = [:]
    private var last: (currency: Currency, template: DigitTemplate)?

    init(locale: Locale) {
        self.locale = locale
    }

    func text(_ quote: Quote) -> String {
        var text = ByteBuffer()
        append(quote, to: &text)
        return text.text
    }

    /// A difference between two prices, without its currency.
    func text(_ difference: Decimal) -> String {
        difference.formatted(Decimal.FormatStyle(locale: locale).precision(.fractionLength(2...12)))
    }

    func append(_ quote: Quote, to text: inout ByteBuffer) {
        if !quote.price.isLessThanOne, template(for: quote.currency).append(quote.price, to: &text) { return }
        text.append(libraryText(Decimal(string: quote.price.text)!, quote.currency))
    }

    /// An amount as Foundation writes it.
    func libraryText(_ amount: Decimal, _ currency: Currency) -> String {
        let style = Decimal.FormatStyle.Currency(code: currency.code, locale: locale)
            .rounded(rule: .toNearestOrAwayFromZero)
        return amount.formatted(amount < 1 ? style.precision(.fractionLength(2...12)) : style)
    }

    private func template(for currency: Currency) -> DigitTemplate {
        if let last, last.currency == currency { return last.template }
        let template = templates[currency] ?? DigitTemplate { self.libraryText($0, currency) }
        templates[currency] = template
        last = (currency, template)
        return template
    }
}
