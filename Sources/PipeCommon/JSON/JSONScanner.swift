/// Goes through a text byte by byte, by the grammar, and notes each value.
struct JSONScanner {
    private static let deepest = 128

    private let text: UnsafePointer<UInt8>
    private let count: Int
    private var position = 0

    /// - Parameter nodes: those of the text take the place of what was there.
    static func scan(_ text: borrowing JSONBytes, into nodes: inout JSONNodes) throws(InvalidInput) {
        var scanner = JSONScanner(text: text.start, count: text.count)
        nodes.removeAll()
        try scanner.value(named: JSONNode.Extent(), depth: 1, into: &nodes)
        scanner.skipSpace()
        guard scanner.position == text.count else { throw scanner.refusal("text behind the JSON value") }
    }

    @inline(never)
    private func refusal(_ what: String) -> InvalidInput {
        InvalidInput("\(what) at byte \(position + 1)")
    }

    /// The next byte; 0, which the grammar knows nowhere, at the end.
    private var next: UInt8 { text[position] }

    @inline(__always)
    private mutating func skipSpace() {
        // Every other sign of the grammar is above them.
        while next <= 0x20, next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(
        named name: JSONNode.Extent, depth: Int, into nodes: inout JSONNodes
    ) throws(InvalidInput) {
        skipSpace()
        let index = nodes.count
        switch next {
        case UInt8(ascii: "\""):
            nodes.append(JSONNode(kind: .string, name: name, value: try string()))
        case UInt8(ascii: "{"):
            try enter(.object, name, depth, &nodes)
            try members(depth: depth, into: &nodes)
            nodes[index].size = Int32(nodes.count - index)
        case UInt8(ascii: "["):
            try enter(.array, name, depth, &nodes)
            try elements(depth: depth, into: &nodes)
            nodes[index].size = Int32(nodes.count - index)
        case UInt8(ascii: "t"): nodes.append(JSONNode(kind: try word("true", .true), name: name))
        case UInt8(ascii: "f"): nodes.append(JSONNode(kind: try word("false", .false), name: name))
        case UInt8(ascii: "n"): nodes.append(JSONNode(kind: try word("null", .null), name: name))
        default: nodes.append(JSONNode(kind: .number, name: name, value: try number()))
        }
    }

    private mutating func enter(
        _ kind: JSON.Kind, _ name: JSONNode.Extent, _ depth: Int, _ nodes: inout JSONNodes
    ) throws(InvalidInput) {
        guard depth <= Self.deepest else { throw refusal("more than \(Self.deepest) levels deep") }
        nodes.append(JSONNode(kind: kind, name: name))
        position += 1
        skipSpace()
    }

    private mutating func word(_ word: StaticString, _ kind: JSON.Kind) throws(InvalidInput) -> JSON.Kind {
        for offset in 0..<word.utf8CodeUnitCount {
            guard text[position + offset] == word.utf8Start[offset] else { throw refusal("no JSON value") }
        }
        position += word.utf8CodeUnitCount
        return kind
    }

    private mutating func members(depth: Int, into nodes: inout JSONNodes) throws(InvalidInput) {
        let first = nodes.count
        var names = NameFilter()
        if take("}") { return }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw refusal("a member's name is missing") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw refusal("a colon is missing") }
            names.note(name, in: text)
            try value(named: name, depth: depth + 1, into: &nodes)
            skipSpace()
        } while take(",")
        if names.mayRepeat, hasNameTwice(from: first, in: nodes) {
            throw refusal("a member twice in the object")
        }
        guard take("}") else { throw refusal("an object without end") }
    }

    private mutating func elements(depth: Int, into nodes: inout JSONNodes) throws(InvalidInput) {
        if take("]") { return }
        repeat {
            try value(named: JSONNode.Extent(), depth: depth + 1, into: &nodes)
            skipSpace()
        } while take(",")
        guard take("]") else { throw refusal("an array without end") }
    }

    private func hasNameTwice(from first: Int, in nodes: borrowing JSONNodes) -> Bool {
        var names: Set<[UInt8]> = []
        var index = first
        while index < nodes.count {
            let name = nodes[index].name.withBytes(in: text) { Array($0) }
            guard names.insert(name).inserted else { return true }
            index += Int(nodes[index].size)
        }
        return false
    }

    private mutating func number() throws(InvalidInput) -> JSONNode.Extent {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return extent(from: start)
    }

    private mutating func digits() throws(InvalidInput) {
        let start = position
        while UInt8.isDigit(next) { position += 1 }
        guard position > start else { throw refusal("no JSON value") }
    }

    private mutating func string() throws(InvalidInput) -> JSONNode.Extent {
        position += 1
        let start = position
        skipPlain()
        guard next == UInt8(ascii: "\"") else { return try richString(from: start) }
        let string = extent(from: start)
        position += 1
        return string
    }

    /// The rest of a string that has more in it than plain ASCII.
    @inline(never)
    private mutating func richString(from start: Int) throws(InvalidInput) -> JSONNode.Extent {
        var (hasEscapes, isASCII) = (false, true)
        while true {
            skipPlain()
            switch next {
            case UInt8(ascii: "\""):
                let string = extent(from: start, hasEscapes: hasEscapes)
                position += 1
                guard isASCII || isUTF8(string) else { throw refusal("text that is not UTF-8") }
                return string
            case UInt8(ascii: "\\"):
                try skipEscape()
                hasEscapes = true
            case 0x80...:
                isASCII = false
                position += 1
            default:
                throw refusal(position < count ? "a control character in a string" : "a string without end")
            }
        }
    }

    /// Skips ASCII that stands for itself, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlain() {
        var others: UInt64
        repeat {
            let word = (UnsafeRawPointer(text) + position).loadUnaligned(as: UInt64.self)
            others = Self.others(in: UInt64(littleEndian: word))
            position += others.trailingZeroBitCount >> 3
        } while others == 0
    }

    /// The high bit of each byte that is a control character, a quote, a backslash or no ASCII; those above the
    /// lowest may be wrong.
    private static func others(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let low = (word &- ones &* 0x20) & ~word
        return (word | low | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes)
            & (ones &* 0x80)
    }

    @inline(never)
    private mutating func skipEscape() throws(InvalidInput) {
        var escapes = JSONEscapes(UnsafeBufferPointer(start: text, count: count), at: position)
        guard escapes.next() != nil else { throw refusal("an unknown escape") }
        position = escapes.position
    }

    @inline(never)
    private func isUTF8(_ string: JSONNode.Extent) -> Bool {
        String(validating: string.bytes(in: text), as: UTF8.self) != nil
    }

    private func extent(from start: Int, hasEscapes: Bool = false) -> JSONNode.Extent {
        JSONNode.Extent(start: start, end: position, hasEscapes: hasEscapes)
    }
}

/// Knows that the names of an object differ, in nearly all objects, without comparing them.
private struct NameFilter {
    private var seen: UInt64 = 0
    private(set) var mayRepeat = false

    mutating func note(_ name: JSONNode.Extent, in text: UnsafePointer<UInt8>) {
        let (start, count) = (Int(name.start), name.count)
        // Tells the names of all our records apart; an empty name has its quote.
        let bit =
            UInt64(1)
            &<< UInt64(
                text[start] &+ text[start + max(count, 1) - 1] &+ 11 &* UInt8(truncatingIfNeeded: count))
        mayRepeat = mayRepeat || name.hasEscapes || seen & bit != 0
        seen |= bit
    }
}
