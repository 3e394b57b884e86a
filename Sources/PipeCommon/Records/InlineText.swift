/// 1 to 32 visible ASCII characters that need no escape in JSON, stored in place: copied without counting
/// references, which is a tenth of a line's cost.
public struct InlineText: ByteParsable, Hashable, Sendable {
    public static let longest = 32

    private var words: Words
    private let count: UInt8

    private struct Words: Hashable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard (1...Self.longest).contains(text.count), text.allSatisfy(Self.isPlain) else { return nil }
        self.init(text)
    }

    /// - Parameter text: checked already.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        count = UInt8(text.count)
        words = Words()
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(text)) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    public func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        withUnsafeBytes(of: words) { words in
            body(UnsafeBufferPointer(rebasing: words.bindMemory(to: UInt8.self)[..<Int(count)]))
        }
    }

    public var text: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
