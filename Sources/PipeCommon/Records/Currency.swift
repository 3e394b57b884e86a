/// The code of a currency: 3 to 5 capital letters and digits, the first a letter: `USD`, `USDT`.
public struct Currency: ByteParsable, Hashable, Sendable {
    public static let usDollar = Currency("USD")!

    /// The first letter in the lowest byte, and 0 after the last one.
    private let bytes: UInt64

    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard (3...5).contains(text.count), Self.isCapital(text[0]),
            text.allSatisfy({ Self.isCapital($0) || UInt8.isDigit($0) })
        else { return nil }
        bytes = text.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    public var code: String {
        var text = ByteBuffer()
        append(to: &text)
        return text.text
    }

    func append(to text: inout ByteBuffer) {
        var rest = bytes
        while rest != 0 {
            text.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
