/// A price as the decimal digits that the source wrote, never as a binary floating-point number.
///
/// `[0-9]{1,12}(\.[0-9]{1,12})?`, greater than zero. Two prices are equal if their digits are.
public struct Price: TextValue {
    public let utf8: InlineText

    public init?(_ text: InlineText) {
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
        utf8 = text
    }
}
