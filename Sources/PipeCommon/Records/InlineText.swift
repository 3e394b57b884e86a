/// At most 32 bytes of UTF-8, stored in place: copied without counting references, which is a tenth of a line's cost.
public struct InlineText: Hashable, Sendable {
    public static let longest = 32

    private var words: Words
    private let count: UInt8

    private struct Words: Hashable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    /// - Parameter bytes: at most 32, of UTF-8.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        count = UInt8(bytes.count)
        words = Words()
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
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
