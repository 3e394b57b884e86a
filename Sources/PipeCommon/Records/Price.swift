/// A price: the decimal digits as the source wrote them, never a binary floating-point number.
///
/// `[0-9]{1,12}(\.[0-9]{1,12})?`, compared on the bytes, and greater than zero.
public struct Price: ByteParsable, Hashable, Sendable {
    let digits: InlineText

    public var text: String { digits.text }

    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var (whole, fraction, hasPoint, isZero) = (0, 0, false, true)
        for byte in text {
            if UInt8.isDigit(byte) {
                if hasPoint { fraction += 1 } else { whole += 1 }
                if byte != UInt8(ascii: "0") { isZero = false }
            } else if byte == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                return nil
            }
        }
        guard (1...12).contains(whole), !hasPoint || (1...12).contains(fraction), !isZero else { return nil }
        digits = InlineText(text)
    }

    public var isBelowOne: Bool {
        digits.withBytes { $0.prefix { $0 != UInt8(ascii: ".") }.allSatisfy { $0 == UInt8(ascii: "0") } }
    }

    /// How many hundredths, say, with 2 decimals (at most 6): half of one goes away from zero.
    public func units(decimals: Int) -> Int {
        digits.withBytes { digits in
            var (units, left, isBehindPoint) = (0, decimals, false)
            for digit in digits {
                if digit == UInt8(ascii: ".") {
                    isBehindPoint = true
                } else if isBehindPoint, left == 0 {
                    return units + (digit >= UInt8(ascii: "5") ? 1 : 0)
                } else {
                    units = units * 10 + Int(digit & 0x0F)
                    left -= isBehindPoint ? 1 : 0
                }
            }
            for _ in 0..<left { units *= 10 }
            return units
        }
    }
}
