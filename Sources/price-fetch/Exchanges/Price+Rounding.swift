import PipeCommon

/// The maximum number of decimals of a price or volume in a record.
private let mostDecimals = 12

extension Price {
    /// - Returns: nil if `roundedDecimal` rejects the text, or if the rounded number is zero or has more than 12 digits
    ///   before the decimal point.
    init?(rounding text: String) {
        guard let price = Price(text) ?? roundedDecimal(text).flatMap({ Price($0) }) else { return nil }
        self = price
    }
}

/// Resolves the exponent, if any, of a number as an exchange wrote it, and rounds the number to at most 12 decimals,
/// because a record must not contain more. Halves are rounded up. Floating point is not used. Pure.
///
/// - Returns: nil unless the text consists of digits, with or without a decimal point between them, and optionally an
///   exponent of one to three digits, with or without a sign.
func roundedDecimal(_ text: String) -> String? {
    let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
    let shift = parts.count == 2 ? exponent(parts[1]) : 0
    let halves = parts[0].utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let shift, halves.count <= 2,
        halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(UInt8.isDigit) })
    else { return nil }
    var digits = halves.flatMap(\.self)
    var whole = halves[0].count + shift
    let missing = max(0, 1 - whole)
    digits.insert(contentsOf: repeatElement(zero, count: missing), at: 0)
    whole += missing
    digits += repeatElement(zero, count: max(0, whole - digits.count))
    if parts.count == 2 {
        // Remove leading zeros: 0.00012e4 is 1.2.
        let zeros = min(digits.prefix { $0 == zero }.count, whole - 1)
        digits.removeFirst(zeros)
        whole -= zeros
    }
    let end = whole + mostDecimals
    if digits.count > end {
        let isUp = digits[end] >= UInt8(ascii: "5")
        digits.removeLast(digits.count - end)
        if isUp {
            // Trailing nines become zeros, and a number that consists only of nines gains a digit.
            let last = digits.lastIndex { $0 != nine } ?? -1
            digits.replaceSubrange(
                (last + 1)..., with: repeatElement(zero, count: digits.count - last - 1))
            if last < 0 {
                digits.insert(zero, at: 0)
                whole += 1
            }
            digits[max(last, 0)] += 1
        }
    }
    let decimals = digits.count > whole ? [UInt8(ascii: ".")] + digits[whole...] : []
    return String(decoding: digits[..<whole] + decimals, as: UTF8.self)
}

/// - Returns: nil if the text is not a whole number, or if the number has more than three digits.
private func exponent(_ text: Substring) -> Int? {
    let digits = text.first.map { "+-".contains($0) } == true ? text.dropFirst() : text
    guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(UInt8.isDigit) else { return nil }
    return Int(text)
}
