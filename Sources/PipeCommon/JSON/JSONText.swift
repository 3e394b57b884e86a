/// A string, a name or a number in a JSON text, as it stands there: without quotes, with escapes. Valid only while the
/// text is being read.
public struct JSONText {
    let bytes: UnsafeBufferPointer<UInt8>
    let hasEscapes: Bool

    /// The text that it stands for.
    public var string: String {
        hasEscapes ? JSONEscapes.undone(in: bytes) : String(decoding: bytes, as: UTF8.self)
    }

    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        guard hasEscapes else { return body(bytes) }
        var string = string
        return string.withUTF8(body)
    }

    /// Lets `switch` compare a member's name, which is known to the compiler, in one step.
    @inline(__always)
    public static func ~= (name: StaticString, text: JSONText) -> Bool {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard text.hasEscapes else {
            return text.bytes.count == name.count
                && memcmp(text.bytes.baseAddress!, name.baseAddress!, name.count) == 0
        }
        return text.withBytes { $0.elementsEqual(name) }
    }
}
