import CICU
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
        differences = DigitTemplate(decimals: 2) { amount, decimals in
            locale.number(amount, "rounding-mode-half-up \(precision(decimals))")
        }
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
        let rounding = "rounding-mode-half-up"
        guard isISOCurrency(code) else {
            return DigitTemplate(decimals: 2, suffix: " \(code)") { [locale] amount, decimals in
                locale.number(amount, "\(rounding) \(precision(decimals))")
            }
        }
        let style = "currency/\(code) unit-width-short \(rounding)"
        let decimals = locale.number("1", style).count { $0.isWholeNumber } - 1
        return DigitTemplate(decimals: decimals) { [locale] amount, decimals in
            locale.number(amount, "\(style) \(precision(decimals))")
        }
    }
}

/// As many decimals as this, in the words of ICU.
private func precision(_ decimals: Int) -> String {
    "." + String(repeating: "0", count: decimals)
}

/// Whether a currency is or ever was in ISO 4217.
private func isISOCurrency(_ code: String) -> Bool {
    var error: UErrorCode = 0
    let (past, future) = (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)
    return ucurr_isAvailable(Array(code.utf16) + [0], past, future, &error) != 0
}
