import PipeCommon

/// Writes prices as a locale does: `$68,901.23`. The code of a currency that is not in ISO 4217 follows the number:
/// `68,901.23 USDT`.
final class MoneyFormatter {
    private let locale: ICULocale
    private var templates: [Currency: DigitTemplate] = [:]
    private var last: (currency: Currency, template: DigitTemplate)?
    private let differences: DigitTemplate

    init(locale: ICULocale) {
        self.locale = locale
        differences = DigitTemplate(locale, decimals: 2)
    }

    func text(_ quote: Quote) -> String {
        var text = ByteBuffer()
        append(quote, to: &text)
        return text.text
    }

    /// A difference between two prices, without its currency.
    func text(_ difference: Price) -> String {
        var text = ByteBuffer()
        differences.append(difference, to: &text)
        return text.text
    }

    /// A change with its sign: `+1.84 %`.
    func percentage(hundredths: Int) -> String {
        var text = ByteBuffer()
        text.append(hundredths > 0 ? "+" : hundredths < 0 ? "-" : "")
        differences.append(hundredths: Int(clamping: hundredths.magnitude), to: &text)
        text.append(" %" as StaticString)
        return text.text
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
        guard ICULocale.isCurrency(code) else {
            return DigitTemplate(locale, decimals: 2, suffix: " \(code)")
        }
        let style = "currency/\(code) unit-width-short"
        let decimals = locale.number("1", style).count { $0.isWholeNumber } - 1
        return DigitTemplate(locale, style, decimals: decimals)
    }
}
