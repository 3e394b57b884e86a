/// One line of the pipeline: a JSON object whose known members are checked, and whose others are ignored.
public protocol Record: Sendable {
    init(_ members: inout Members) throws(InvalidInput)
    /// Adds the members that are there, in the order of the wire contract.
    func addMembers(to object: inout ByteBuffer)
}

extension Record {
    public init(line: some Sequence<UInt8>) throws(InvalidInput) {
        try self.init(line: Array(line)[...], by: JSONParser())
    }

    /// - Parameter parser: kept from line to line.
    public init(line: ArraySlice<UInt8>, by parser: JSONParser) throws(InvalidInput) {
        var isJSON = false
        do {
            self = try parser.parse(line) { (value) throws(InvalidInput) in
                isJSON = true
                var members = try Members(of: value)
                return try Self(&members)
            }
        } catch {
            throw isJSON ? error : InvalidInput("not a JSON object (\(error.reason))")
        }
    }

    /// The line, without its end.
    public var line: [UInt8] {
        var text = ByteBuffer()
        append(to: &text)
        return text.bytes
    }

    public func append(to text: inout ByteBuffer) {
        text.append(UInt8(ascii: "{"))
        addMembers(to: &text)
        text.append(UInt8(ascii: "}"))
    }
}
