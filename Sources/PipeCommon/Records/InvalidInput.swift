/// The reason why a line, a record or a payload was not accepted, in words for a person.
public struct InvalidInput: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }
}
