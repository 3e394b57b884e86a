import PipeCommon

extension Price {
    private static let mostDecimals = 12

    /// Reads a number as exchanges write prices, without floating point: an exponent is applied, and decimals
    /// beyond the 12 that a record may have are rounded half up. Pure.
    ///
    /// - Returns: nil for text that is not a number above zero, and for a number that is too large or rounds
    ///   to zero.
    init?(rounding text: String) {
        if let price = Price(text) {
            self = price
            return
        }
        let (zero, nine) = (UInt8(ascii: "0"), UInt8(ascii: "9"))
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
        let exponent = parts.count == 2 ? Self.exponent(parts[1]) : 0
        let halves = parts[0].utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let exponent, halves.count <= 2,
            halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(UInt8.isDigit) })
        else { return nil }
        var digits = halves.flatMap(\.self)
        var whole = halves[0].count + exponent
        if whole < 1 { digits.insert(contentsOf: repeatElement(zero, count: 1 - whole), at: 0) }
        whole = max(whole, 1)
        if whole > digits.count { digits += repeatElement(zero, count: whole - digits.count) }
        if parts.count == 2 {
            // Remove leading zeros: 0.00012e4 is 1.2.
            let zeros = min(digits.prefix { $0 == zero }.count, whole - 1)
            digits.removeFirst(zeros)
            whole -= zeros
        }
        let end = whole + Self.mostDecimals
        if digits.count > end {
            let isUp = digits[end] >= UInt8(ascii: "5")
            digits.removeLast(digits.count - end)
            if isUp {
                // Trailing nines become zeros, and a number that has only nines gains a digit.
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
        self.init(String(decoding: digits[..<whole] + decimals, as: UTF8.self))
    }

    /// - Returns: nil if it is not a number, or has more than three digits.
    private static func exponent(_ text: Substring) -> Int? {
        let digits = text.first.map { "+-".contains($0) } == true ? text.dropFirst() : text
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return Int(text)
    }
}
