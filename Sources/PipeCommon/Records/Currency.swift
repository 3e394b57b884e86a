/// The three capital letters of a currency (ISO 4217): `USD`.
public struct Currency: ByteParsable, Hashable, Sendable {
    public static let usDollar = Currency("USD")!

    private let first, second, third: UInt8

    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 3, text.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
            return nil
        }
        (first, second, third) = (text[0], text[1], text[2])
    }

    public var code: String { String(decoding: [first, second, third], as: UTF8.self) }

    func append(to text: inout ByteBuffer) {
        text.append(first)
        text.append(second)
        text.append(third)
    }
}
