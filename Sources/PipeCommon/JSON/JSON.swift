/// A JSON value (RFC 8259) whose numbers stay as they were written, digit by digit, so that a price
/// never becomes a binary floating-point number on its way.
public enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The bytes of the number, as they stood in the text.
    case number(String)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The member of an object; nil when there is none, or when it is `null`.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
        return value
    }

    /// The element of an array, counted from 0.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    public var number: String? {
        if case .number(let digits) = self { digits } else { nil }
    }
}

/// Why a line, a record or a payload was not accepted, in words for a person.
public struct Refusal: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
