/// Reads one JSON text, strictly: nothing before or behind it, no byte order mark, no trailing comma, no member
/// twice, valid UTF-8, at most 128 levels deep. One pass checks it whole and notes where its values stand.
///
/// The toolchain's decoder accepts the first four and hides how a number was written, and here a number is a price.
public final class JSONParser {
    /// Kept from text to text, so that reading one allocates nothing. Nobody else gets at it while it is used.
    @exclusivity(unchecked)
    private var memory = Memory()

    private struct Memory: ~Copyable {
        var text = JSONBytes()
        var nodes = JSONNodes()

        mutating func read(_ text: ArraySlice<UInt8>) throws(InvalidInput) -> JSON {
            self.text.take(text)
            try JSONScanner.scan(self.text, into: &nodes)
            return JSON(text: self.text.start, node: nodes.first)
        }
    }

    public init() {}

    /// - Parameter use: what is wanted of the value, which is gone after that.
    /// - Throws: a refusal that says what is wrong and at which byte, counted from 1; and what `use` throws.
    public func parse<Value>(
        _ text: ArraySlice<UInt8>, _ use: (JSON) throws(InvalidInput) -> Value
    ) throws(InvalidInput) -> Value {
        try use(memory.read(text))
    }

    /// Reads a single text.
    public static func parse<Value>(
        _ text: some Sequence<UInt8>, _ use: (JSON) throws(InvalidInput) -> Value
    ) throws(InvalidInput) -> Value {
        try JSONParser().parse(Array(text)[...], use)
    }
}

/// Why a line, a record or a payload was not accepted, in words for a person.
public struct InvalidInput: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
