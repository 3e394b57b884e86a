/// Reads a JSON text (RFC 8259) strictly. Only white space may precede or follow the value. Trailing commas, duplicate
/// members, invalid UTF-8, more than 128 levels of nesting and a byte order mark at the beginning are errors. The
/// caller must read the values in the order in which the text contains them.
///
/// Foundation's decoder is less strict and hides how a number was written, which matters for prices.
///
/// The functions that read a record's member treat `null` as an absent value.
///
/// Each `JSONText` that is read points into the reader's buffer. It is valid until the body of `read` returns, or until
/// the reader starts the next text. After an error, the reader can only be used to start another text.
@safe public struct JSONReader: ~Copyable {
    public enum Kind {
        case null, boolean, number, string, array, object
    }

    private static let deepest = 128
    /// The number of zero bytes after the text. These bytes stop the reader at the end of the text, even while it
    /// examines eight bytes at a time.
    private static let padding = 8

    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    private var count = 0
    private var position = 0
    private var depth = 0
    private var checksNames = true
    /// Whether the value of the current member must still be read.
    private var isValueDue = false
    /// The name of the member that `object` processed last. The member may belong to an inner object that has already
    /// been read.
    private(set) var name = unsafe JSONText(
        bytes: UnsafeBufferPointer(start: nil, count: 0), hasEscapes: false)

    /// The last name of at most 32 bytes that `sourceName` read, and its printable form.
    var lastName: (read: InlineText, printed: String)?

    public init() {
        unsafe bytes = .allocate(capacity: capacity)
    }

    deinit {
        unsafe bytes.deallocate()
    }

    /// Reads one JSON text.
    ///
    /// - Parameter body: reads the text's value.
    /// - Throws: `InvalidInput` if the text is not valid JSON; also any error that `body` throws. Most reasons contain
    ///   the number of the byte at which the problem was found, counted from 1.
    public static func read<Value>(
        _ text: some Collection<UInt8>, _ body: (inout JSONReader) throws(InvalidInput) -> Value
    ) throws(InvalidInput) -> Value {
        var reader = JSONReader()
        reader.start(Array(text)[...])
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    /// Starts reading a text. An earlier text that was not read to its end is abandoned.
    mutating func start(_ text: ArraySlice<UInt8>) {
        count = text.count
        if count + Self.padding > capacity {
            unsafe bytes.deallocate()
            capacity = count + Self.padding
            unsafe bytes = .allocate(capacity: capacity)
        }
        unsafe text.withUnsafeBufferPointer { text in
            if let start = text.baseAddress { unsafe bytes.update(from: start, count: text.count) }
        }
        unsafe (bytes + count).update(repeating: 0, count: Self.padding)
        (position, depth, checksNames) = (0, 0, true)
    }

    /// - Throws: `InvalidInput` if anything but white space follows the value.
    mutating func finish() throws(InvalidInput) {
        skipSpace()
        guard position == count else { throw invalid("unexpected text after the value") }
    }

    // MARK: values of any kind

    /// The kind of the next value, judged by its first byte alone. If the value is invalid, an error is thrown only
    /// when the value is read.
    public mutating func kind() -> Kind {
        skipSpace()
        return switch next {
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "{"): .object
        default: .number
        }
    }

    /// Skips a value of any kind.
    ///
    /// - Throws: `InvalidInput` if the value is invalid.
    public mutating func skip() throws(InvalidInput) {
        isValueDue = false
        switch kind() {
        case .null: try word("null")
        case .boolean: _ = try boolean()
        case .number: _ = try number()
        case .string: _ = try string()
        case .array: try array { (json) throws(InvalidInput) in try json.skip() }
        case .object: try object { (_, json) throws(InvalidInput) in try json.skip() }
        }
    }

    // MARK: objects and arrays

    /// Reads an object. A value that `member` does not read is skipped.
    ///
    /// - Parameter member: called with the name of each member, in the order of the text. It may read the member's
    ///   value, but not more than once.
    /// - Throws: `InvalidInput` if the value is not a valid object or a name occurs twice; also any error that `member`
    ///   throws.
    @inline(__always)
    public mutating func object(
        _ member: (JSONText, inout JSONReader) throws(InvalidInput) -> Void
    ) throws(InvalidInput) {
        try enter("{", "not a JSON object")
        let start = position
        var names = NameFilter()
        if !take("}") {
            repeat {
                let name = try memberName()
                if checksNames { names.insert(name) }
                self.name = name
                isValueDue = true
                try member(name, &self)
                if isValueDue { try skip() }
                skipSpace()
            } while take(",")
            if names.mayRepeat { try checkNames(from: start) }
            guard take("}") else { throw invalid("unterminated object") }
        }
        depth -= 1
    }

    /// Reads an array.
    ///
    /// - Parameter element: called once per element; it must read or skip exactly one value.
    /// - Throws: `InvalidInput` if the value is not a valid array; also any error that `element` throws.
    public mutating func array(
        _ element: (inout JSONReader) throws(InvalidInput) -> Void
    ) throws(InvalidInput) {
        try enter("[", "not an array")
        if !take("]") {
            repeat {
                try element(&self)
                skipSpace()
            } while take(",")
            guard take("]") else { throw invalid("unterminated array") }
        }
        depth -= 1
    }

    private mutating func enter(_ bracket: Unicode.Scalar, _ mismatch: StaticString) throws(InvalidInput) {
        begin()
        guard take(bracket) else { throw InvalidInput("\(mismatch)") }
        depth += 1
        guard depth <= Self.deepest else { throw invalid("nested more than \(Self.deepest) levels deep") }
        skipSpace()
    }

    private mutating func memberName() throws(InvalidInput) -> JSONText {
        skipSpace()
        guard isAtString else { throw invalid("expected a member name in double quotes") }
        let name = try rawString()
        skipSpace()
        guard take(":") else { throw invalid("expected ':'") }
        return name
    }

    /// Reads the members again to compare their names. Inner objects have already been checked.
    @inline(never)
    private mutating func checkNames(from start: Int) throws(InvalidInput) {
        let end = position
        position = start
        checksNames = false
        var names: Set<[UInt8]> = []
        repeat {
            let name = try memberName()
            guard names.insert(Array(name.string.utf8)).inserted else { throw invalid("duplicate member") }
            try skip()
            skipSpace()
        } while take(",")
        checksNames = true
        position = end
    }

    // MARK: values of a specific kind

    /// Reads `true` or `false`.
    ///
    /// - Throws: `InvalidInput` if neither word comes next.
    public mutating func boolean() throws(InvalidInput) -> Bool {
        begin()
        let isTrue = next == UInt8(ascii: "t")
        try word(isTrue ? "true" : "false")
        return isTrue
    }

    /// Reads a number and returns it exactly as it is written.
    ///
    /// - Throws: `InvalidInput` if no valid number comes next.
    public mutating func number() throws(InvalidInput) -> JSONText {
        begin()
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return slice(from: start)
    }

    private mutating func digits() throws(InvalidInput) {
        let start = position
        while UInt8.isDigit(next) { position += 1 }
        guard position > start else { throw invalid("expected a value") }
    }

    /// Reads a string. The result does not contain the quotes, and the escapes are not decoded.
    ///
    /// - Throws: `InvalidInput` if the value is not a string, or is malformed.
    public mutating func string() throws(InvalidInput) -> JSONText {
        begin()
        guard isAtString else { throw invalid("expected a string") }
        return try rawString()
    }

    /// Whether a string starts at the current position.
    var isAtString: Bool { next == UInt8(ascii: "\"") }

    /// Reads the string that starts at the current position.
    mutating func rawString() throws(InvalidInput) -> JSONText {
        position += 1
        let start = position
        skipPlain()
        guard next == UInt8(ascii: "\"") else { return try richString(from: start) }
        let string = slice(from: start)
        position += 1
        return string
    }

    /// Reads the rest of a string after `skipPlain` has stopped at a byte other than the closing quote.
    @inline(never)
    private mutating func richString(from start: Int) throws(InvalidInput) -> JSONText {
        var hasEscapes = false
        while true {
            skipPlain()
            switch next {
            case UInt8(ascii: "\""):
                let string = slice(from: start, hasEscapes: hasEscapes)
                position += 1
                guard unsafe String(validating: string.bytes, as: UTF8.self) != nil else {
                    throw invalid("invalid UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                try skipEscape()
                hasEscapes = true
            case 0x80...: position += 1
            default:
                throw invalid(position < count ? "control character in a string" : "unterminated string")
            }
        }
    }

    private mutating func skipEscape() throws(InvalidInput) {
        var escapes = unsafe JSONEscapes(UnsafeBufferPointer(start: bytes, count: count), at: position)
        guard escapes.next() != nil else { throw invalid("invalid escape") }
        position = escapes.position
    }

    // MARK: bytes

    /// The next byte; 0 at the end of the text. A valid JSON text does not contain the byte 0.
    private var next: UInt8 { unsafe bytes[position] }

    mutating func begin() {
        skipSpace()
        isValueDue = false
    }

    private mutating func skipSpace() {
        let space = UInt8(ascii: " ")
        // The first comparison is a shortcut: for a byte above 0x20, the other comparisons are not needed.
        while next <= space, next == space || next == 0x0A || next == 0x0D || next == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ word: StaticString) throws(InvalidInput) {
        let isThere = unsafe memcmp(bytes + position, word.utf8Start, word.utf8CodeUnitCount) == 0
        guard isThere else { throw invalid("expected a value") }
        position += word.utf8CodeUnitCount
    }

    /// Skips to the next quote, backslash, byte below 0x20 or non-ASCII byte, eight bytes at a time.
    private mutating func skipPlain() {
        var others: UInt64
        repeat {
            let word = unsafe (UnsafeRawPointer(bytes) + position).loadUnaligned(as: UInt64.self)
            others = Self.others(in: UInt64(littleEndian: word))
            position += others.trailingZeroBitCount >> 3
        } while others == 0
    }

    /// Returns a word in which the high bit is set in each byte where `word` contains a quote, a backslash, a byte
    /// below 0x20 or a non-ASCII byte. Only the lowest of the set bits is reliable.
    private static func others(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslashes = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let low = (word &- ones &* 0x20) & ~word
        return (word | low | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes)
            & (ones &* 0x80)
    }

    private func slice(from start: Int, hasEscapes: Bool = false) -> JSONText {
        let bytes = unsafe UnsafeBufferPointer(start: bytes + start, count: position - start)
        return unsafe JSONText(bytes: bytes, hasEscapes: hasEscapes)
    }

    @inline(never)
    private func invalid(_ what: String) -> InvalidInput {
        InvalidInput("\(what) at byte \(position + 1)")
    }
}

/// A Bloom filter in one word: if `mayRepeat` is false, no name occurs twice.
private struct NameFilter {
    private var seen: UInt64 = 0
    private(set) var mayRepeat = false

    mutating func insert(_ name: JSONText) {
        let count = unsafe name.bytes.count
        // The first byte, the last byte and the length select a bit. In each of our own records, no two member names
        // select the same bit. For an empty name, both bytes are its quotes.
        let (first, last) = unsafe (name.bytes.baseAddress![0], name.bytes.baseAddress![count - 1])
        let bit = UInt64(1) &<< UInt64(first &+ last &+ 11 &* UInt8(truncatingIfNeeded: count))
        mayRepeat = mayRepeat || name.hasEscapes || seen & bit != 0
        seen |= bit
    }
}
