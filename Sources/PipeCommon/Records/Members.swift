/// The members of a record that is being read: each is absent (or `null`), good, or a refusal that names it.
public struct Members {
    private let value: JSON

    init(of value: JSON) throws(Refusal) {
        guard case .object = value else { throw Refusal("not a JSON object") }
        self.value = value
    }

    /// A member of text that `read` understands; `what` says what it should be, "a price".
    func text<Value>(_ name: String, _ what: String, _ read: (String) -> Value?) throws(Refusal) -> Value? {
        guard let member = value[name] else { return nil }
        guard let found = member.string.flatMap(read) else { throw Refusal("\(name) is not \(what)") }
        return found
    }

    /// A whole number, written without sign, point or exponent.
    func count(_ name: String, from least: Int) throws(Refusal) -> Int? {
        guard let member = value[name] else { return nil }
        guard let digits = member.number, digits.utf8.allSatisfy(UInt8.isDigit), let count = Int(digits),
            count >= least
        else { throw Refusal("\(name) is not an integer of \(least) or more") }
        return count
    }

    func flag(_ name: String) throws(Refusal) -> Bool? {
        switch value[name] {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw Refusal("\(name) is neither true nor false")
        }
    }

    func record<Value: Record>(_ name: String, as type: Value.Type) throws(Refusal) -> Value? {
        guard let member = value[name] else { return nil }
        return try Self.inside(name) { () throws(Refusal) in try Value(Members(of: member)) }
    }

    func records<Value: Record>(_ name: String, as type: Value.Type) throws(Refusal) -> [Value] {
        guard let member = value[name] else { return [] }
        guard case .array(let elements) = member else { throw Refusal("\(name) is not an array") }
        var records: [Value] = []
        for element in elements {
            records.append(try Self.inside(name) { () throws(Refusal) in try Value(Members(of: element)) })
        }
        return records
    }

    private static func inside<Value>(_ name: String, _ read: () throws(Refusal) -> Value) throws(Refusal)
        -> Value
    {
        do {
            return try read()
        } catch {
            throw Refusal("\(name): \(error.reason)")
        }
    }
}

/// A member that a record can't do without.
func required<Value>(_ value: Value?, _ name: String) throws(Refusal) -> Value {
    guard let value else { throw Refusal("\(name) is missing") }
    return value
}
