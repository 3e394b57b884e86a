extension UInt8 {
    /// Whether a byte is one of `0` to `9` in ASCII.
    public static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
