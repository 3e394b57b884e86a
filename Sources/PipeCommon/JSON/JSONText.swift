/// A string, a name or a number as it is written in a JSON text, without quotes but with its escapes. It is valid only
/// while the text is being read.
@safe public struct JSONText {
    let bytes: UnsafeBufferPointer<UInt8>
    let hasEscapes: Bool

    /// The text with its escapes decoded.
    public var string: String {
        unsafe hasEscapes ? JSONEscapes.undone(in: bytes) : String(decoding: bytes, as: UTF8.self)
    }

    /// The decoded text; nil if the decoded text is longer than 32 bytes.
    @inline(__always)
    var inline: InlineText? {
        unsafe hasEscapes ? InlineText(bytes: string) : InlineText(bytes)
    }

    /// The value of a number; nil if the text contains anything but digits, or if the number is too large.
    var integer: Int? {
        guard unsafe bytes.allSatisfy(UInt8.isDigit) else { return nil }
        return unsafe bytes.count <= 18 ? bytes.reduce(0) { $0 &* 10 &+ Int($1 & 0x0F) } : Int(string)
    }

    /// Lets `switch` match a member's name against constants.
    @inline(__always)
    public static func ~= (name: StaticString, text: JSONText) -> Bool {
        let name = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard text.hasEscapes else {
            return unsafe text.bytes.count == name.count
                && memcmp(text.bytes.baseAddress!, name.baseAddress!, name.count) == 0
        }
        return unsafe text.string.utf8.elementsEqual(name)
    }
}

extension String {
    /// Whether the text contains only visible ASCII characters and spaces.
    var isPlainASCII: Bool {
        var text = self
        return text.withUTF8 { bytes in unsafe bytes.allSatisfy { $0 &- 0x20 < 0x5F } }
    }
}

/// Decodes the escapes in a JSON string, such as `\n`, `\u20AC` and `\ud83d\ude00`.
@safe struct JSONEscapes {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The position of the next byte to read.
    private(set) var position: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        unsafe self.bytes = bytes
        self.position = position
    }

    /// The text of a string with its escapes decoded. The string must not contain an invalid escape.
    static func undone(in bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text: [UInt8] = []
        var escapes = unsafe JSONEscapes(bytes, at: 0)
        while escapes.position < bytes.count {
            if unsafe bytes[escapes.position] == UInt8(ascii: "\\"), let scalar = escapes.next() {
                text.append(contentsOf: UTF8.encode(scalar)!)
            } else {
                unsafe text.append(bytes[escapes.position])
                escapes.position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the escape whose backslash is at `position`.
    ///
    /// - Returns: the code point; nil if the escape is invalid.
    mutating func next() -> Unicode.Scalar? {
        guard unsafe position + 1 < bytes.count else { return nil }
        let letter = unsafe bytes[position + 1]
        position += 2
        return letter == UInt8(ascii: "u") ? codePoint() : Self.short[Unicode.Scalar(letter)]
    }

    private static let short: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
    ]

    private mutating func codePoint() -> Unicode.Scalar? {
        guard let unit = fourHexDigits() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard unsafe position + 1 < bytes.count, unsafe bytes[position] == UInt8(ascii: "\\"),
            unsafe bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let trail = fourHexDigits(), UTF16.isTrailSurrogate(trail) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func fourHexDigits() -> UInt16? {
        guard unsafe position + 4 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for place in position..<position + 4 {
            guard let digit = Character(Unicode.Scalar(unsafe bytes[place])).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}
