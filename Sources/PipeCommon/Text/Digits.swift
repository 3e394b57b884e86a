extension UInt8 {
    /// Whether a byte is one of `0` to `9` in ASCII.
    public static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension Int {
    /// How many digits a number that is not negative is written with.
    public var digitCount: Int {
        var (count, limit) = (1, 10)
        while count < 19, self >= limit { (count, limit) = (count + 1, limit &* 10) }
        return count
    }
}
