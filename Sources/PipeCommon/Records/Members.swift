/// The members of a record that is being read: each is absent (or `null`), good, or a refusal that names it.
///
/// Each is taken once; in the order in which they stand, that is the fastest. Inlined, since a name that is known where
/// it stands is compared in one step.
public struct Members {
    private let object: JSON
    /// All before it are taken.
    private var front: UnsafePointer<JSONNode>

    init(of value: JSON) throws(InvalidInput) {
        guard value.kind == .object else { throw InvalidInput("not a JSON object") }
        object = value
        front = value.node + 1
    }

    @inline(__always)
    private mutating func take(_ name: StaticString) -> JSON? {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        let end = object.end
        var member = front
        while member < end {
            let next = member + Int(member.pointee.size)
            if member.pointee.name.isEqual(to: name, in: object.text) {
                if member == front { front = next }
                return member.pointee.kind == .null ? nil : JSON(text: object.text, node: member)
            }
            member = next
        }
        return nil
    }

    /// A member of text with one form; `what` says what it should be, "a price".
    @inline(__always)
    mutating func text<Value: ByteParsable>(
        _ name: StaticString, _ what: StaticString, as form: Value.Type = Value.self
    ) throws(InvalidInput) -> Value? {
        guard let member = take(name) else { return nil }
        guard member.kind == .string, let value = member.withBytes(Value.init(utf8:)) else {
            throw InvalidInput("\(name) is not \(what)")
        }
        return value
    }

    /// A member of any text.
    @inline(__always)
    mutating func text(_ name: StaticString) throws(InvalidInput) -> String? {
        guard let member = take(name) else { return nil }
        guard let text = member.string else { throw InvalidInput("\(name) is not text") }
        return text
    }

    /// A whole number, written without sign, point or exponent.
    @inline(__always)
    mutating func count(_ name: StaticString, from least: Int) throws(InvalidInput) -> Int? {
        guard let member = take(name) else { return nil }
        guard member.kind == .number, let count = member.withBytes(Int.init(digits:)), count >= least else {
            throw InvalidInput("\(name) is not an integer of \(least) or more")
        }
        return count
    }

    @inline(__always)
    mutating func flag(_ name: StaticString) throws(InvalidInput) -> Bool? {
        switch take(name)?.kind {
        case nil: return nil
        case .true: return true
        case .false: return false
        default: throw InvalidInput("\(name) is neither true nor false")
        }
    }

    @inline(__always)
    mutating func record<Value: Record>(_ name: StaticString, as type: Value.Type) throws(InvalidInput)
        -> Value?
    {
        guard let member = take(name) else { return nil }
        return try Self.record(in: member, name)
    }

    @inline(__always)
    mutating func records<Value: Record>(_ name: StaticString, as type: Value.Type) throws(InvalidInput)
        -> [Value]
    {
        guard let member = take(name) else { return [] }
        guard member.kind == .array else { throw InvalidInput("\(name) is not an array") }
        var records: [Value] = []
        for element in member.children {
            records.append(try Self.record(in: element, name))
        }
        return records
    }

    private static func record<Value: Record>(in value: JSON, _ name: StaticString) throws(InvalidInput)
        -> Value
    {
        do {
            var members = try Members(of: value)
            return try Value(&members)
        } catch {
            throw InvalidInput("\(name): \(error.reason)")
        }
    }
}

/// A member that a record can't do without.
func required<Value>(_ value: Value?, _ name: StaticString) throws(InvalidInput) -> Value {
    guard let value else { throw InvalidInput("\(name) is missing") }
    return value
}

extension Int {
    /// - Returns: nil for anything but digits, and for a number that is too large.
    fileprivate init?(digits: UnsafeBufferPointer<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy(UInt8.isDigit) else { return nil }
        if digits.count <= 18 {
            self = digits.reduce(0) { $0 &* 10 &+ Int($1 & 0x0F) }
        } else {
            self.init(String(decoding: digits, as: UTF8.self))
        }
    }
}
