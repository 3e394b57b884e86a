/// A price as decimal digits, never as a binary floating-point number. In a quote, they are the digits that the source
/// wrote, except that price-fetch expands exponents and rounds to twelve decimals.
///
/// The text has the form `[0-9]{1,12}(\.[0-9]{1,12})?`, and the number is not zero. Two prices are equal only if they
/// are written alike: `1.5` and `1.50` differ. Use `units` to compare values and to calculate. A price does not include
/// its currency, which is in the quote.
public struct Price: TextValue {
    public let utf8: InlineText

    /// - Returns: nil if the text does not have this form, or if the number is zero.
    public init?(_ text: InlineText) {
        guard isDecimal(text, wholeDigits: 12, isPositive: true) else { return nil }
        utf8 = text
    }

    /// The exact price in units of 10⁻¹² of its currency: `68901.23` is 68,901,230,000,000,000. The number is always
    /// below 10²⁴, so its product with a number below 10¹⁴ does not overflow.
    public var units: Int128 { PipeCommon.units(of: utf8) }
}

/// The traded volume of a candle, in units of the base currency, as decimal digits: `[0-9]{1,18}(\.[0-9]{1,12})?`. As
/// with prices, price-fetch expands exponents and rounds to twelve decimals. Unlike a price, a volume may be zero.
public struct Volume: TextValue {
    public let utf8: InlineText

    /// - Returns: nil if the text does not have this form.
    public init?(_ text: InlineText) {
        guard isDecimal(text, wholeDigits: 18, isPositive: false) else { return nil }
        utf8 = text
    }

    /// The exact volume in units of 10⁻¹² of the base currency.
    public var units: Int128 { PipeCommon.units(of: utf8) }
}

/// Whether `text` is a decimal number: 1 to `wholeDigits` digits, optionally followed by a decimal point and 1 to 12
/// digits. If `isPositive` is true, the number must not be zero.
@inline(__always)
private func isDecimal(_ text: InlineText, wholeDigits: Int, isPositive: Bool) -> Bool {
    var (whole, fraction, hasPoint, isZero) = (0, 0, false, true)
    for byte in text {
        if UInt8.isDigit(byte) {
            if hasPoint { fraction += 1 } else { whole += 1 }
            if byte != UInt8(ascii: "0") { isZero = false }
        } else if byte == UInt8(ascii: "."), !hasPoint {
            hasPoint = true
        } else {
            return false
        }
    }
    return (1...wholeDigits).contains(whole) && (!hasPoint || (1...12).contains(fraction))
        && !(isPositive && isZero)
}

/// The value of a decimal number, in units of 10⁻¹².
///
/// - Parameter text: at most 18 digits before the decimal point, and at most 12 after it.
private func units(of text: InlineText) -> Int128 {
    text.withBytes { digits in
        var (whole, fraction, unit): (UInt64, UInt64, UInt64) = (0, 0, 0)
        for place in digits.indices {
            let byte = digits[place]
            switch (byte, unit) {
            case (UInt8(ascii: "."), _): unit = 1_000_000_000_000
            case (_, 0): whole = whole * 10 + UInt64(byte & 0x0F)
            default:
                unit /= 10
                fraction += unit * UInt64(byte & 0x0F)
            }
        }
        return Int128(whole) * 1_000_000_000_000 + Int128(fraction)
    }
}
