import PipeCommon

/// By the grammar of RFC 8259, with what ours adds to it: no member twice, at most 128 levels.
struct PlainParser {
    private static let deepest = 128

    private let bytes: [UInt8]
    private var position = 0

    /// - Throws: a refusal that says what is wrong and at which byte, counted from 1.
    static func parse(_ bytes: some Sequence<UInt8>) throws(InvalidInput) -> PlainJSON {
        var parser = PlainParser(bytes: Array(bytes))
        let value = try parser.value(depth: 1)
        parser.skipSpace()
        guard parser.position == parser.bytes.count else {
            throw parser.refusal("text behind the JSON value")
        }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func refusal(_ what: String) -> InvalidInput {
        InvalidInput("\(what) at byte \(position + 1)")
    }

    private var next: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(InvalidInput) -> PlainJSON {
        skipSpace()
        if depth > Self.deepest, next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
            throw refusal("more than \(Self.deepest) levels deep")
        }
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: StaticString, _ value: PlainJSON) throws(InvalidInput) -> PlainJSON {
        let end = position + word.utf8CodeUnitCount
        let spelled = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
        guard spelled else { throw refusal("no JSON value") }
        position = end
        return value
    }

    private mutating func members(depth: Int) throws(InvalidInput) -> [[UInt8]: PlainJSON] {
        var members: [[UInt8]: PlainJSON] = [:]
        position += 1
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw refusal("a member's name is missing") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw refusal("a colon is missing") }
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: Array(name.utf8)) == nil else {
                throw refusal("a member twice")
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw refusal("an object without end") }
        return members
    }

    private mutating func elements(depth: Int) throws(InvalidInput) -> [PlainJSON] {
        var elements: [PlainJSON] = []
        position += 1
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw refusal("an array without end") }
        return elements
    }

    private mutating func number() throws(InvalidInput) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(InvalidInput) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw refusal("no JSON value") }
    }

    private mutating func string() throws(InvalidInput) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw refusal("text that is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case ..<0x20: throw refusal("a control character in a string")
            default: text.append(byte)
            }
        }
        throw refusal("a string without end")
    }

    private mutating func escape() throws(InvalidInput) -> Character {
        guard let byte = next else { throw refusal("a string without end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return Character(try escapedScalar())
        default: throw refusal("an unknown escape")
        }
    }

    private mutating func escapedScalar() throws(InvalidInput) -> Unicode.Scalar {
        let unit = try fourHexDigits()
        guard UTF16.isLeadSurrogate(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw refusal("half a surrogate pair") }
            return scalar
        }
        guard take("\\"), take("u") else { throw refusal("half a surrogate pair") }
        let trail = try fourHexDigits()
        guard UTF16.isTrailSurrogate(trail) else { throw refusal("half a surrogate pair") }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func fourHexDigits() throws(InvalidInput) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw refusal("an unknown escape")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
