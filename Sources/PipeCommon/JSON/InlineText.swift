/// Up to 32 bytes of text, stored in place. Copying it does not involve reference counting, which would make the
/// handling of each line a tenth slower.
public struct InlineText: RandomAccessCollection, Hashable, Sendable {
    public static let longest = 32

    /// The text in words of eight bytes. The lowest bits of a word contain its first byte; unused bytes are zero.
    struct Words: Hashable {
        var first: UInt64
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0
    }

    var words: Words
    private let length: UInt8

    init(word: UInt64, count: Int) {
        words = Words(first: word)
        length = UInt8(truncatingIfNeeded: count)
    }

    /// - Returns: nil if the text is longer than 32 bytes.
    @inline(__always)
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count
        guard count <= Self.longest else { return nil }
        length = UInt8(truncatingIfNeeded: count)
        /// Loads a word directly from `bytes`. It would be slower to copy the bytes into `words` in memory and read
        /// them back immediately.
        @inline(__always) func word(from place: Int) -> UInt64 {
            if count <= place { return 0 }
            if count < 8 { return unsafe bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            let whole = Swift.min(place, count - 8)
            let word = unsafe UnsafeRawBufferPointer(bytes).loadUnaligned(
                fromByteOffset: whole, as: UInt64.self)
            return UInt64(littleEndian: word) >> UInt64(truncatingIfNeeded: 8 * (place - whole))
        }
        words = Words(
            first: word(from: 0), second: word(from: 8), third: word(from: 16), fourth: word(from: 24))
    }

    init?(bytes text: String) {
        var text = text
        guard let value = unsafe text.withUTF8(Self.init) else { return nil }
        self = value
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { Int(length) }

    /// The byte at a position, taken from a word in a register. Reading the byte from memory would require writing the
    /// words to memory first.
    @inline(__always)
    public subscript(place: Int) -> UInt8 {
        let (low, high) = place < 16 ? (words.first, words.second) : (words.third, words.fourth)
        let word = place & 8 == 0 ? low : high
        return UInt8(truncatingIfNeeded: word >> UInt64(truncatingIfNeeded: 8 * (place & 7)))
    }

    /// Whether all bytes meet a condition. Faster than the generic implementation for collections.
    @inline(__always)
    func allSatisfy(_ isRight: (UInt8) -> Bool) -> Bool {
        unsafe withPointer { unsafe $0.allSatisfy(isRight) }
    }

    var string: String { unsafe withPointer { unsafe String(decoding: $0, as: UTF8.self) } }

    public func withBytes<Value>(_ body: (Span<UInt8>) -> Value) -> Value {
        unsafe withPointer { unsafe body($0.span) }
    }

    @inline(__always)
    private func withPointer<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        unsafe withUnsafeBytes(of: words) { bytes in
            unsafe body(
                UnsafeBufferPointer(
                    start: bytes.assumingMemoryBound(to: UInt8.self).baseAddress, count: count))
        }
    }
}

/// A value that is written as short text in a fixed form.
public protocol TextValue: JSONValue, Hashable, Sendable {
    /// - Returns: nil if the text does not represent a value of this type.
    init?(_ text: InlineText)

    /// The value as text in its fixed form.
    var utf8: InlineText { get }
}

extension TextValue {
    public init?(_ text: String) {
        guard let text = InlineText(bytes: text), let value = Self(text) else { return nil }
        self = value
    }

    public var text: String { utf8.string }

    @inline(__always)
    public func append(to text: inout ByteBuffer) {
        text.append(UInt8(ascii: "\""))
        text.append(utf8)
        text.append(UInt8(ascii: "\""))
    }
}

extension TextValue where Self: RawRepresentable<String> {
    public init?(_ text: InlineText) {
        self.init(rawValue: text.string)
    }

    public var utf8: InlineText { InlineText(bytes: rawValue)! }
}

/// As a `TextValue`, an `InlineText` is a name from another system, such as an exchange's name for a market: 1 to 32
/// visible ASCII characters, none of which needs an escape in JSON.
extension InlineText: TextValue {
    public init?(_ text: InlineText) {
        guard !text.isEmpty, text.allSatisfy(Self.isPlain) else { return nil }
        self = text
    }

    public var utf8: InlineText { self }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// Classes of ASCII characters.
extension UInt8 {
    public static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    public static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    public static func isCapitalOrDigit(_ byte: UInt8) -> Bool {
        isCapital(byte) || isDigit(byte)
    }
}
