/// Reads the values of a record's members. For `null`, `records` returns an empty array, and the other functions return
/// nil. If a value is valid JSON but has the wrong type or form, the error names the member.
extension JSONReader {
    /// Reads a string with a fixed form.
    ///
    /// - Parameters:
    ///   - what: the expected value as the error message names it, such as "a price".
    ///   - rule: the text that follows the member's name in the error message for a value that is neither a string nor
    ///     `null`, such as "must be a string"; nil to report that the value is not `what`.
    mutating func value<Value: TextValue>(
        _ what: StaticString, rule: StaticString? = nil, as type: Value.Type = Value.self
    ) throws(InvalidInput) -> Value? {
        begin()
        guard isAtString else { return try absent(what, rule: rule) }
        guard let text = try rawString().inline, let value = Value(text) else { throw mismatch(what) }
        return value
    }

    /// Reads any string.
    mutating func text() throws(InvalidInput) -> String? {
        begin()
        guard isAtString else { return try absent("a string") }
        return try rawString().string
    }

    /// Reads the name of a source, makes it printable and cuts it to 64 characters. Successive lines often contain the
    /// same name, so the result for a name of at most 32 bytes is kept and reused.
    mutating func sourceName() throws(InvalidInput) -> String? {
        begin()
        guard isAtString else { return try absent("a string") }
        let text = try rawString()
        guard let short = text.inline else { return printable(text.string, atMost: 64) }
        if short != lastName?.read { lastName = (short, printable(text.string)) }
        return lastName?.printed
    }

    /// Reads an integer without a sign, a decimal point or an exponent.
    ///
    /// - Parameter least: the smallest valid value, either 0 or 1.
    mutating func integer(from least: Int) throws(InvalidInput) -> Int? {
        let what = least == 0 ? "an integer of 0 or more" : "an integer of 1 or more" as StaticString
        guard kind() == .number else { return try absent(what) }
        guard let integer = try number().integer, integer >= least else { throw mismatch(what) }
        return integer
    }

    mutating func flag() throws(InvalidInput) -> Bool? {
        guard kind() == .boolean else { return try absent("true or false") }
        return try boolean()
    }

    /// Reads a record. Leaves `null` unread, so that `object` skips it.
    mutating func record<Value: Record>(as type: Value.Type = Value.self) throws(InvalidInput) -> Value? {
        if kind() == .null { return nil }
        let name = name
        do throws(InvalidInput) { return try Value(&self) } catch {
            throw InvalidInput("\(name.string): \(error.reason)")
        }
    }

    /// Reads an array of records. For `null`, returns an empty array.
    mutating func records<Value: Record>(as type: Value.Type = Value.self) throws(InvalidInput) -> [Value] {
        guard kind() == .array else { return try absent("an array") ?? [] }
        let name = name
        var records: [Value] = []
        try array { (json) throws(InvalidInput) in
            do throws(InvalidInput) { records.append(try Value(&json)) } catch {
                throw InvalidInput("\(name.string): \(error.reason)")
            }
        }
        return records
    }

    /// Reads `null` and returns nil. Throws an error if the value is anything else.
    @inline(never)
    private mutating func absent<Value>(
        _ what: StaticString, rule: StaticString? = nil
    ) throws(InvalidInput) -> Value? {
        guard kind() == .null else {
            throw rule.map { InvalidInput("\(name.string) \($0)") } ?? mismatch(what)
        }
        try skip()
        return nil
    }

    @inline(never)
    private func mismatch(_ what: StaticString) -> InvalidInput {
        InvalidInput("\(name.string) is not \(what)")
    }
}
