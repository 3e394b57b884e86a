/// The three capital letters of a currency (ISO 4217): `USD`.
public struct Currency: Hashable, Sendable {
    public static let usDollar = Currency("USD")!

    public let code: String

    public init?(_ code: String) {
        guard code.utf8.count == 3, code.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains)
        else { return nil }
        self.code = code
    }
}
