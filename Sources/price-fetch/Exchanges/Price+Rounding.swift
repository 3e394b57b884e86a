import PipeCommon

extension Price {
    private static let mostDecimals = 12

    /// The price in a number as exchanges write it, exactly: an exponent is carried out, and more decimals than a record
    /// may have are rounded to 12, half up. Pure.
    ///
    /// - Returns: nil for what is not a number above zero, or is too large, or rounds to zero.
    init?(rounding text: String) {
        if let price = Price(text) {
            self = price
            return
        }
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "eE".contains($0) }
        let exponent = parts.count == 2 ? Self.exponent(parts[1]) : 0
        let halves = parts[0].utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let exponent, halves.count <= 2,
            halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(UInt8.isDigit) })
        else { return nil }
        var digits = halves.flatMap { $0.map { $0 - UInt8(ascii: "0") } }
        var whole = halves[0].count + exponent
        if whole < 1 { digits.insert(contentsOf: repeatElement(0, count: 1 - whole), at: 0) }
        whole = max(whole, 1)
        if whole > digits.count { digits += repeatElement(0, count: whole - digits.count) }
        if parts.count == 2 {
            // 0.00012e4 is 1.2.
            let zeros = min(digits.prefix { $0 == 0 }.count, whole - 1)
            digits.removeFirst(zeros)
            whole -= zeros
        }
        if digits.count > whole + Self.mostDecimals {
            let isUp = digits[whole + Self.mostDecimals] >= 5
            digits.removeLast(digits.count - whole - Self.mostDecimals)
            if isUp { whole += Self.increment(&digits) }
        }
        let characters = digits.map { $0 + UInt8(ascii: "0") }
        let decimals = digits.count > whole ? [UInt8(ascii: ".")] + characters[whole...] : []
        self.init(String(decoding: characters[..<whole] + decimals, as: UTF8.self))
    }

    /// - Returns: nil for a number that no price needs.
    private static func exponent(_ text: Substring) -> Int? {
        let digits = text.first.map { "+-".contains($0) } == true ? text.dropFirst() : text
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return Int(text)
    }

    /// Adds one to the last digit.
    ///
    /// - Returns: how many digits the number has gained.
    private static func increment(_ digits: inout [UInt8]) -> Int {
        for place in digits.indices.reversed() {
            if digits[place] < 9 {
                digits[place] += 1
                return 0
            }
            digits[place] = 0
        }
        digits.insert(1, at: 0)
        return 1
    }
}
