import Foundation
import PipeCommon

/// Writes amounts of at least one in one currency as a locale does, but faster than Foundation. How an amount
/// is written is learned from Foundation once per number of digits; after that only the digits are replaced.
final class DigitTemplate {
    private struct Template {
        /// An amount with everything around its digits.
        var bytes: [UInt8] = []
        /// The places of the last bytes of the digits, from the last digit to the first.
        var digits: [Int] = []
    }

    private let write: (Decimal) -> String
    private lazy var decimals = (template(wholeDigits: 1)?.digits.count ?? 1) - 1
    /// By the number of digits before the decimal point; nil if the digits are not ten consecutive code
    /// points.
    private var templates: [Int: Template?] = [:]
    private var last: (wholeDigits: Int, template: Template)?

    /// - Parameter write: writes an amount as Foundation does.
    init(_ write: @escaping (Decimal) -> String) {
        self.write = write
    }

    /// - Returns: false if the digits of the locale cannot be replaced one by one.
    func append(_ price: Price, to text: inout ByteBuffer) -> Bool {
        var units = price.units(decimals: decimals)
        let wholeDigits = max(1, Self.digitCount(of: units) - decimals)
        guard let template = template(wholeDigits: wholeDigits) else { return false }
        template.bytes.withUnsafeBufferPointer { bytes in
            text.fill(bytes.count) { place in
                place.update(from: bytes.baseAddress!, count: bytes.count)
                for digit in template.digits {
                    place[digit] += UInt8(truncatingIfNeeded: units % 10)
                    units /= 10
                }
            }
        }
        return true
    }

    private func template(wholeDigits: Int) -> Template? {
        if let last, last.wholeDigits == wholeDigits { return last.template }
        let template =
            templates[wholeDigits]
            ?? Self.template(of: write(Decimal(string: String(repeating: "9", count: wholeDigits))!))
        templates[wholeDigits] = template
        if let template { last = (wholeDigits, template) }
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

    private static func digitCount(of number: Int) -> Int {
        var (count, limit) = (1, 10)
        while count < 19, number >= limit { (count, limit) = (count + 1, limit &* 10) }
        return count
    }
}
