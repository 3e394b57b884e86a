/// The escapes in a JSON string: `\n`, `\u20AC`, `\ud83d\ude00`.
struct JSONEscapes {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The place after the last escape that was read.
    private(set) var position: Int

    /// - Parameter position: the place of a backslash.
    init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// A string with its escapes, which are valid, undone.
    static func undone(in bytes: UnsafeBufferPointer<UInt8>) -> String {
        var text: [UInt8] = []
        var escapes = JSONEscapes(bytes, at: 0)
        while escapes.position < bytes.count {
            if bytes[escapes.position] == UInt8(ascii: "\\"), let scalar = escapes.next() {
                text.append(contentsOf: UTF8.encode(scalar)!)
            } else {
                text.append(bytes[escapes.position])
                escapes.position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the escape at the position.
    ///
    /// - Returns: the code point that it stands for; nil when it is invalid.
    mutating func next() -> Unicode.Scalar? {
        guard position + 1 < bytes.count else { return nil }
        let letter = bytes[position + 1]
        position += 2
        return letter == UInt8(ascii: "u") ? codePoint() : Self.short[Unicode.Scalar(letter)]
    }

    private static let short: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
    ]

    private mutating func codePoint() -> Unicode.Scalar? {
        guard let unit = fourHexDigits() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let trail = fourHexDigits(), UTF16.isTrailSurrogate(trail) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func fourHexDigits() -> UInt16? {
        guard position + 4 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }
}
