import PipeCommon

/// Formats prices and changes for a locale: `$68,901.23`, `+1.84%`. The code of a currency that ICU does not know
/// follows the number: `68,901.23 USDT`.
final class MoneyFormatter {
    private let locale: ICULocale
    private var templates: [Currency: DigitTemplate] = [:]
    private var last: (currency: Currency, template: DigitTemplate)?
    /// The formatted amounts of holdings, cached because the amounts do not change. Each key is an amount in units of
    /// 10⁻¹².
    private var amounts: [Int128: String] = [:]
    private let differences: DigitTemplate
    private let percentages: DigitTemplate

    init(locale: ICULocale) {
        self.locale = locale
        differences = DigitTemplate(locale, decimals: 0)
        percentages = DigitTemplate(locale, "percent")
    }

    func text(_ quote: Quote) -> String { text(quote, keeping: 0) }

    /// - Parameter decimals: the minimum number of decimals, as in `Price.shownUnits`.
    func text(_ quote: Quote, keeping decimals: Int) -> String {
        text { template(for: quote.currency).append(quote.price, keeping: decimals, to: &$0) }
    }

    func text(_ price: Price, _ currency: Currency, keeping decimals: Int = 0) -> String {
        text { template(for: currency).append(price, keeping: decimals, to: &$0) }
    }

    /// A round price, such as a label of a chart. If `decimals` is zero, the price is shown without decimals.
    /// Otherwise, it is shown with `decimals` decimals or, if the currency has more, with the currency's number of
    /// decimals.
    func text(_ price: Price, _ currency: Currency, decimals: Int) -> String {
        text { template(for: currency).append(price, decimals: decimals, to: &$0) }
    }

    /// An amount of money, rounded to the decimals of its currency. An amount that would be rounded to zero gets more
    /// decimals unless its absolute value is below 10⁻¹².
    ///
    /// - Parameters:
    ///   - amount: in units of 10⁻²⁴.
    ///   - hasSign: whether a `+` precedes an amount that is not negative.
    func text(amount: Int128, _ currency: Currency, hasSign: Bool = false) -> String {
        let sign = amount < 0 ? "-" : hasSign ? "+" : ""
        return sign + text { template(for: currency).append(amount: abs(amount), to: &$0) }
    }

    /// The amount of a holding, without grouping.
    ///
    /// - Parameter amount: in units of 10⁻¹².
    func amount(_ amount: Int128) -> String {
        if let text = amounts[amount] { return text }
        let text = locale.number(Price.text(amount), "group-off .############")
        amounts[amount] = text
        return text
    }

    /// The difference of a price change, with its sign and at least as many decimals as its currency has, but without
    /// the currency: `+5.00`.
    ///
    /// - Parameter decimals: the minimum number of decimals, as in `Price.shownUnits`.
    func text(_ change: PriceChange, keeping decimals: Int) -> String {
        let least = max(decimals, template(for: change.currency).decimals)
        let text = text { differences.append(change.difference, keeping: least, to: &$0) }
        return (change.isUp ? "+" : "-") + text
    }

    /// A change, given in hundredths of a percent, with its sign: `+1.84%`.
    func percentage(hundredths: Int) -> String {
        percentage(hundredths, decimals: 2)
    }

    /// A small change, given in ten-thousandths of a percent, with its sign: `+0.0031%`.
    func percentage(tenThousandths: Int) -> String { percentage(tenThousandths, decimals: 4) }

    private func percentage(_ units: Int, decimals: Int) -> String {
        let sign = units > 0 ? "+" : units < 0 ? "-" : ""
        return sign + text { percentages.append(Int(clamping: units.magnitude), decimals: decimals, to: &$0) }
    }

    private func text(_ append: (inout ByteBuffer) -> Void) -> String {
        var text = ByteBuffer()
        append(&text)
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
            return DigitTemplate(locale, suffix: " \(code)")
        }
        let style = "currency/\(code) unit-width-short"
        let digits = locale.number("1", style).count { $0.isWholeNumber }
        return DigitTemplate(locale, style, decimals: max(0, digits - 1))
    }
}
