/// What is priced: `BTC-USD`. 1 to 32 ASCII letters, digits, `.`, `_` and `-`, the first a letter or a
/// digit, so that it is safe to print and safe as a file's name.
public struct Symbol: Hashable, Sendable {
    /// What is meant where no symbol is named.
    public static let bitcoin = Symbol("BTC-USD")!

    public let text: String

    public init?(_ text: String) {
        guard (1...32).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.isASCIIAlphanumeric || "._-".unicodeScalars.contains($0) }),
            text.unicodeScalars.first!.isASCIIAlphanumeric
        else { return nil }
        self.text = text
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIIAlphanumeric: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: false
        }
    }
}
