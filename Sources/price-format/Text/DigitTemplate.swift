import Foundation
import PipeCommon

/// How a locale writes amounts of one currency from one on. The library shows it, once for each number of digits;
/// then digits are put in the place of digits.
final class DigitTemplate {
    /// An amount with all that stands around its digits.
    private struct Form {
        var bytes: [UInt8] = []
        /// Where the digits end, from the last to the first.
        var digits: [Int] = []
    }

    private let show: (Decimal) -> String
    /// How many digits stand behind the point.
    private lazy var decimals = (form(1)?.digits.count ?? 1) - 1
    /// By the number of digits before the point; nil inside where they are not ten in a row.
    private var forms: [Int: Form?] = [:]
    private var last: (wholeDigits: Int, form: Form)?

    /// - Parameter show: how the library writes an amount.
    init(_ show: @escaping (Decimal) -> String) {
        self.show = show
    }

    /// - Returns: false where the digits of the locale can't be put one by one.
    func append(_ price: Price, to text: inout ByteBuffer) -> Bool {
        var units = price.units(decimals: decimals)
        guard let form = form(max(1, units.digitCount - decimals)) else { return false }
        form.bytes.withUnsafeBufferPointer { bytes in
            text.fill(bytes.count) { place in
                place.update(from: bytes.baseAddress!, count: bytes.count)
                for digit in form.digits {
                    place[digit] += UInt8(truncatingIfNeeded: units % 10)
                    units /= 10
                }
            }
        }
        return true
    }

    private func form(_ wholeDigits: Int) -> Form? {
        if let last, last.wholeDigits == wholeDigits { return last.form }
        let form =
            forms[wholeDigits]
            ?? Self.form(of: show(Decimal(string: String(repeating: "9", count: wholeDigits))!))
        forms[wholeDigits] = form
        if let form { last = (wholeDigits, form) }
        return form
    }

    private static func form(of text: String) -> Form? {
        var form = Form()
        for scalar in text.unicodeScalars {
            let isDigit = scalar.properties.numericType == .decimal
            let value = isDigit ? UInt32(scalar.properties.numericValue!) : 0
            guard let zero = Unicode.Scalar(scalar.value - value), let nine = Unicode.Scalar(zero.value + 9)
            else {
                return nil
            }
            form.bytes.append(contentsOf: UTF8.encode(zero)!)
            guard isDigit else { continue }
            guard UTF8.encode(zero)!.dropLast().elementsEqual(UTF8.encode(nine)!.dropLast()) else {
                return nil
            }
            form.digits.insert(form.bytes.count - 1, at: 0)
        }
        return form
    }
}
