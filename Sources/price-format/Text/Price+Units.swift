import PipeCommon

extension Price {
    var isLessThanOne: Bool {
        digits.withBytes { digits in
            digits.first { $0 != UInt8(ascii: "0") } == UInt8(ascii: ".")
        }
    }

    /// The price in units of 10⁻ᵈ, where d is the number of decimals, at most 6; rounded half away from zero.
    func units(decimals: Int) -> Int {
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
