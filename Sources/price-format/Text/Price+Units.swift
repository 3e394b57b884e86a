import PipeCommon

extension Price {
    /// The digits that are shown of the price, as a number of units of 10⁻ᵈ, where d is `decimals`. They are those
    /// of the currency, rounded half away from zero. A price below 10 has up to five significant digits where it
    /// was given with them, and a price below one has all of its digits, since `$0.00` is not a price.
    ///
    /// - Parameter least: the decimals of the currency, at most 6.
    func shownUnits(decimals least: Int) -> (units: Int, decimals: Int) {
        var decimals = max(least, wholeDigits == 0 ? 12 : wholeDigits == 1 ? 4 : 0)
        var units = units(decimals: decimals)
        while decimals > least, units % 10 == 0 { (units, decimals) = (units / 10, decimals - 1) }
        return (units, decimals)
    }

    /// The number of digits before the decimal point, without leading zeros.
    private var wholeDigits: Int {
        digits.withBytes { $0.prefix { $0 != UInt8(ascii: ".") }.drop { $0 == UInt8(ascii: "0") }.count }
    }

    private func units(decimals: Int) -> Int {
        digits.withBytes { digits in
            var (units, left, isFraction) = (0, decimals, false)
            for digit in digits {
                if digit == UInt8(ascii: ".") {
                    isFraction = true
                } else if isFraction, left == 0 {
                    return units + (digit >= UInt8(ascii: "5") ? 1 : 0)
                } else {
                    units = units * 10 + Int(digit & 0x0F)
                    left -= isFraction ? 1 : 0
                }
            }
            for _ in 0..<left { units *= 10 }
            return units
        }
    }
}
