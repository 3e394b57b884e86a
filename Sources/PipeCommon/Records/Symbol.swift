/// The name of what is priced: `BTC-USD`. 1 to 32 ASCII letters, digits, `.`, `_` and `-`, the first a letter or a
/// digit, so that it is safe to print and safe as a file's name.
public struct Symbol: ByteParsable, Hashable, Sendable {
    /// The symbol that is meant where none is named.
    public static let bitcoin = Symbol("BTC-USD")!

    let name: InlineText

    public var text: String { name.text }

    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard (1...InlineText.longest).contains(text.count), Self.isAlphanumeric(text[0]),
            text.allSatisfy({ Self.isAlphanumeric($0) || Self.isPunctuation($0) })
        else { return nil }
        name = InlineText(text)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: UInt8.isDigit(byte)
        }
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}
