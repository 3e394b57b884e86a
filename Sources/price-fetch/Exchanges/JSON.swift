import PipeCommon

/// A JSON value as a tree. Numbers stay as they were written, digit by digit, so that a price never becomes a binary
/// floating-point number.
indirect enum JSON {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member {
        let name: String
        let value: JSON
    }

    /// - Throws: an error that says what is wrong with the text, and at which byte.
    init(parsing text: some Collection<UInt8>) throws(InvalidInput) {
        self = try JSONReader.read(text, Self.init)
    }

    private init(_ json: inout JSONReader) throws(InvalidInput) {
        switch json.kind() {
        case .null:
            try json.skip()
            self = .null
        case .boolean: self = .boolean(try json.boolean())
        case .number: self = .number(try json.number().string)
        case .string: self = .string(try json.string().string)
        case .array:
            var elements: [JSON] = []
            try json.array { (json) throws(InvalidInput) in elements.append(try JSON(&json)) }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            try json.object { (name, json) throws(InvalidInput) in
                members.append(Member(name: name.string, value: try JSON(&json)))
            }
            self = .object(members)
        }
    }

    /// A member of an object; nil if there is none, or if it is `null`.
    subscript(name: String) -> JSON? {
        let value = members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        if case .null? = value { return nil }
        return value
    }

    /// An element of an array, counted from 0.
    subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The elements of an array; nil for other values.
    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: String? {
        if case .number(let digits) = self { digits } else { nil }
    }
}
