/// A mistake on the command line, in words for the user.
public struct UsageError: Error, Equatable, Sendable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}
