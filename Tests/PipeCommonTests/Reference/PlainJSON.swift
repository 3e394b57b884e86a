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

    /// The same tree of what our parser has read.
    init(_ json: JSON) {
        switch json.kind {
        case .null: self = .null
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .number: self = .number(json.number!)
        case .string: self = .string(json.string!)
        case .array: self = .array(json.children.map(PlainJSON.init))
        case .object:
            self = .object(
                Dictionary(uniqueKeysWithValues: json.children.map { (Array($0.name.utf8), PlainJSON($0)) }))
        }
    }
}
