import PipeCommon

/// Writes amounts in one currency, percentages or plain numbers in the format of a locale, usually faster than ICU
/// does. For each number of digits, ICU writes one sample. If possible, this sample becomes a template: to write
/// another amount, only the digits are replaced.
final class DigitTemplate {
    /// The numbers of digits before and after the decimal point.
    private struct Form: Hashable {
        let whole: Int
        let decimals: Int
    }

    private struct Template {
        /// The text of an amount, including everything around its digits.
        var bytes: [UInt8] = []
        /// For each digit, the index of its last byte; the last digit comes first.
        var digits: [Int] = []
    }

    private let locale: ICULocale
    private let style: String
    /// The usual number of decimals: for amounts, the number of decimals of the currency.
    let decimals: Int
    private let suffix: String
    /// The templates so far. A template is nil if its digits cannot be replaced byte by byte.
    private var templates: [Form: Template?] = [:]
    private var last: (form: Form, template: Template)?

    /// - Parameters:
    ///   - style: the ICU number skeleton of an amount, such as `currency/USD` or `percent`.
    ///   - suffix: text that follows each amount.
    init(_ locale: ICULocale, _ style: String = "", decimals: Int = 2, suffix: String = "") {
        (self.locale, self.style, self.decimals, self.suffix) = (locale, style, decimals, suffix)
    }

    /// - Parameter kept: the minimum number of decimals, as in `Price.shownUnits`.
    func append(_ price: Price, keeping kept: Int = 0, to text: inout ByteBuffer) {
        let (units, decimals) = price.shownUnits(decimals: decimals, keeping: kept)
        append(units, decimals, price.text, to: &text)
    }

    /// Appends a price that has at most `needed` decimals. If `needed` is zero, the price is written without decimals.
    /// Otherwise, it is written with `needed` decimals or, if the currency has more, with as many as the currency has.
    func append(_ price: Price, decimals needed: Int, to text: inout ByteBuffer) {
        let shown = needed == 0 ? 0 : max(needed, decimals)
        guard let units = Int(exactly: price.units / Self.power(12 - shown)) else {
            return text.append(write(price.text, shown) + suffix)
        }
        append(units, shown, price.text, to: &text)
    }

    /// Appends an amount that is not negative, rounded to the decimals of the currency. An amount that would be rounded
    /// to zero gets more decimals unless it is below 10⁻¹².
    ///
    /// - Parameter amount: in units of 10⁻²⁴.
    func append(amount: Int128, to text: inout ByteBuffer) {
        let (whole, rest) = amount.quotientAndRemainder(dividingBy: Self.power(24 - decimals))
        let rounded = whole + (rest >= Self.power(24 - decimals) / 2 ? 1 : 0)
        if rounded == 0, let price = Price(units: amount / Self.power(12)) {
            append(price, to: &text)
        } else {
            // The amount is below 2 · 10¹⁴ and is rounded to at most 4 decimals, so `rounded` fits in an `Int`.
            append(Int(rounded), decimals: decimals, to: &text)
        }
    }

    private static func power(_ exponent: Int) -> Int128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

    /// Appends the number `units` · 10⁻ᵈ, where d is `decimals`.
    func append(_ units: Int, decimals: Int, to text: inout ByteBuffer) {
        append(units, decimals, "\(units)E-\(decimals)", to: &text)
    }

    /// - Parameter amount: returns the number as text, not necessarily rounded yet; called only if ICU must write the
    ///   number.
    private func append(
        _ units: Int, _ decimals: Int, _ amount: @autoclosure () -> String, to text: inout ByteBuffer
    ) {
        let form = Form(whole: max(1, units.digitCount - decimals), decimals: decimals)
        guard let template = template(form) else {
            return text.append(write(amount(), decimals) + suffix)
        }
        text.append(template.bytes, addingDigitsOf: units, at: template.digits)
    }

    /// The amount in the format of the locale, written by ICU, without the suffix.
    private func write(_ amount: String, _ decimals: Int) -> String {
        let precision = "." + String(repeating: "0", count: decimals)
        return locale.number(amount, "\(style) rounding-mode-half-up \(precision)")
    }

    private func template(_ form: Form) -> Template? {
        if let last, last.form == form { return last.template }
        let template = templates[form] ?? learn(form)
        templates[form] = template
        if let template { last = (form, template) }
        return template
    }

    /// - Returns: a template whose digits are all zero; nil if the digits cannot be replaced byte by byte.
    private func learn(_ form: Form) -> Template? {
        var template = Template()
        for scalar in write(String(repeating: "9", count: form.whole), form.decimals).unicodeScalars {
            let isDigit = scalar.properties.numericType == .decimal
            let value = isDigit ? UInt32(scalar.properties.numericValue!) : 0
            guard let zero = Unicode.Scalar(scalar.value - value) else { return nil }
            template.bytes += zero.utf8
            guard isDigit else { continue }
            guard zero.utf8.dropLast().elementsEqual(scalar.utf8.dropLast()) else { return nil }
            template.digits.insert(template.bytes.count - 1, at: 0)
        }
        // In some locales, not all characters that stand for digits have the properties of decimal digits.
        guard template.digits.count == form.whole + form.decimals else { return nil }
        template.bytes += suffix.utf8
        return template
    }
}

extension Unicode.Scalar {
    fileprivate var utf8: String.UTF8View { String(self).utf8 }
}
