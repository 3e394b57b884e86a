import PipeCommon

/// A JSON value as a tree, by a second parser that is written for plainness: what the fast one is compared with.
indirect enum PlainJSON: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([PlainJSON])
    /// The names by their bytes: text compares equal when it only looks the same.
    case object([[UInt8]: PlainJSON])

    /// The same tree of what our reader has read.
    init(_ json: inout JSONReader) throws(InvalidInput) {
        switch json.kind() {
        case .null:
            try json.skip()
            self = .null
        case .boolean: self = .bool(try json.boolean())
        case .number: self = .number(try json.number().string)
        case .string: self = .string(try json.string().string)
        case .array:
            var elements: [PlainJSON] = []
            try json.array { (json) throws(InvalidInput) in elements.append(try PlainJSON(&json)) }
            self = .array(elements)
        case .object:
            var members: [[UInt8]: PlainJSON] = [:]
            try json.object { (name, json) throws(InvalidInput) in
                members[Array(name.string.utf8)] = try PlainJSON(&json)
            }
            self = .object(members)
        }
    }
}
