/// A value with exactly one textual form.
public protocol ByteParsable {
    /// - Returns: nil for any other text.
    init?(utf8: UnsafeBufferPointer<UInt8>)
}

extension ByteParsable {
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8(Self.init(utf8:)) else { return nil }
        self = value
    }
}

extension UInt8 {
    /// Whether a byte is one of `0` to `9` in ASCII.
    public static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
