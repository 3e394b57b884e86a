import PipeCommon

/// Writes amounts in one currency as a locale does, but faster than ICU. How an amount is written is learned
/// from ICU once per number of digits; after that only the digits are replaced.
final class DigitTemplate {
    /// The number of digits before and after the decimal point.
    private struct Form: Hashable {
        let whole: Int
        let decimals: Int
    }

    private struct Template {
        /// An amount with everything around its digits.
        var bytes: [UInt8] = []
        /// The places of the last bytes of the digits, from the last digit to the first.
        var digits: [Int] = []
    }

    private let write: (String, Int) -> String
    /// The decimals of the currency.
    private let decimals: Int
    private let suffix: String
    /// nil if the digits are not ten consecutive code points.
    private var templates: [Form: Template?] = [:]
    private var last: (form: Form, template: Template)?

    /// - Parameters:
    ///   - suffix: follows each amount.
    ///   - write: writes an amount with a number of decimals as ICU does.
    init(decimals: Int, suffix: String = "", _ write: @escaping (String, Int) -> String) {
        (self.decimals, self.suffix, self.write) = (decimals, suffix, write)
    }

    func append(_ price: Price, to text: inout ByteBuffer) {
        let (units, decimals) = price.shownUnits(decimals: decimals)
        append(units, decimals, price.text, to: &text)
    }

    /// Appends an amount in hundredths.
    func append(hundredths: Int, to text: inout ByteBuffer) {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        append(hundredths, 2, "\(whole).\(rest / 10)\(rest % 10)", to: &text)
    }

    /// - Parameter amount: the same amount as text, for ICU.
    private func append(_ units: Int, _ decimals: Int, _ amount: String, to text: inout ByteBuffer) {
        var units = units
        let form = Form(whole: max(1, units.digitCount - decimals), decimals: decimals)
        guard let template = template(form) else {
            return text.append(write(amount, decimals) + suffix)
        }
        template.bytes.withUnsafeBufferPointer { bytes in
            text.fill(bytes.count) { place in
                place.update(from: bytes.baseAddress!, count: bytes.count)
                for digit in template.digits {
                    place[digit] += UInt8(truncatingIfNeeded: units % 10)
                    units /= 10
                }
            }
        }
    }

    private func template(_ form: Form) -> Template? {
        if let last, last.form == form { return last.template }
        let nines = String(repeating: "9", count: form.whole)
        var template = templates[form] ?? Self.template(of: write(nines, form.decimals))
        if templates[form] == nil { template?.bytes += Array(suffix.utf8) }
        templates[form] = template
        if let template { last = (form, template) }
        return template
    }

    /// - Returns: the text with zeros in place of its digits; nil if that cannot be done byte by byte.
    private static func template(of text: String) -> Template? {
        var template = Template()
        for scalar in text.unicodeScalars {
            let isDigit = scalar.properties.numericType == .decimal
            let value = isDigit ? UInt32(scalar.properties.numericValue!) : 0
            guard let zero = Unicode.Scalar(scalar.value - value), let nine = Unicode.Scalar(zero.value + 9)
            else {
                return nil
            }
            template.bytes.append(contentsOf: UTF8.encode(zero)!)
            guard isDigit else { continue }
            guard UTF8.encode(zero)!.dropLast().elementsEqual(UTF8.encode(nine)!.dropLast()) else {
                return nil
            }
            template.digits.insert(template.bytes.count - 1, at: 0)
        }
        return template
    }
}
