/// A price: the decimal digits as the source wrote them, never a binary floating-point number.
///
/// `[0-9]{1,12}(\.[0-9]{1,12})?`, compared on the bytes, and greater than zero.
public struct Price: Hashable, Sendable {
    public let text: String

    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2,
            parts.allSatisfy({ (1...12).contains($0.count) && $0.allSatisfy(UInt8.isDigit) }),
            text.utf8.contains(where: (UInt8(ascii: "1")...UInt8(ascii: "9")).contains)
        else { return nil }
        self.text = text
    }
}
