import PipeCommon

/// A JSON document that outlives its text. Numbers stay as they were written.
indirect enum JSON {
    enum Kind { case null, `true`, `false`, number, string, array, object }

    case null, `true`, `false`
    case number(String)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])
    init(parsing bytes: [UInt8]) throws(InvalidInput) {
        self = try JSONParser.parse(bytes) { (json) throws(InvalidInput) in JSON(json) }
    }
    init(_ json: PipeCommon.JSON) {
        switch json.kind {
        case .null: self = .null
        case .true: self = .true
        case .false: self = .false
        case .number: self = .number(json.number!)
        case .string: self = .string(json.string!)
        case .array: self = .array(json.children.map { JSON($0) })
        case .object: self = .object(json.children.map { ($0.name, JSON($0)) })
        }
    }
    var kind: Kind {
        switch self {
        case .null: .null
        case .true: .true
        case .false: .false
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
    var children: [JSON] {
        switch self {
        case .array(let c): c
        case .object(let m): m.map(\.1)
        default: []
        }
    }
    var string: String? { if case .string(let s) = self { s } else { nil } }
    var number: String? { if case .number(let s) = self { s } else { nil } }
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self, let value = members.first(where: { $0.0 == name })?.1,
            value.kind != .null
        else { return nil }
        return value
    }
    subscript(index: Int) -> JSON? {
        guard case .array(let all) = self, all.indices.contains(index) else { return nil }
        return all[index]
    }
}
