import Foundation
import PipeCommon

/// Writes prices as a locale does: `$68,901.23`. The code of a currency that is not in ISO 4217 follows the number:
/// `68,901.23 USDT`.
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
        template(for: quote.currency).append(quote.price, to: &text)
    }

    private func template(for currency: Currency) -> DigitTemplate {
        if let last, last.currency == currency { return last.template }
        let template = templates[currency] ?? makeTemplate(currency.code)
        templates[currency] = template
        last = (currency, template)
        return template
    }

    private func makeTemplate(_ code: String) -> DigitTemplate {
        guard Locale.Currency(code).isISOCurrency else {
            let style = Decimal.FormatStyle(locale: locale).rounded(rule: .toNearestOrAwayFromZero)
            return DigitTemplate(decimals: 2, suffix: " \(code)") { amount, decimals in
                amount.formatted(style.precision(.fractionLength(decimals)))
            }
        }
        let style = Decimal.FormatStyle.Currency(code: code, locale: locale)
            .rounded(rule: .toNearestOrAwayFromZero)
        let decimals = Decimal(1).formatted(style).count { $0.isWholeNumber } - 1
        return DigitTemplate(decimals: decimals) { amount, decimals in
            amount.formatted(style.precision(.fractionLength(decimals)))
        }
    }
}
