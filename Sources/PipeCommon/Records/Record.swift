/// One line of the pipeline: a JSON object whose known members are checked, and whose others are ignored.
public protocol Record: Sendable {
    init(_ members: Members) throws(Refusal)
    /// The members that are there, in the order of the wire contract.
    var members: JSONObjectText { get }
}

extension Record {
    public init(line: some Sequence<UInt8>) throws(Refusal) {
        let value: JSON
        do {
            value = try JSONParser.parse(line)
        } catch {
            throw Refusal("not a JSON object (\(error.reason))")
        }
        try self.init(Members(of: value))
    }

    /// The line, without its end.
    public var line: [UInt8] { members.bytes }
}
