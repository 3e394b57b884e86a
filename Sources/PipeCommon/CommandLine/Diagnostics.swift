/// What a program says to its user, one line each on standard error, in one fixed form:
/// `price-cache: warning: line 3: not a JSON object`. Text from outside is made printable.
public struct Diagnostics: Sendable {
    public let program: String
    private let writer: LineWriter

    public init(program: String, writer: LineWriter = LineWriter(descriptor: STDERR_FILENO)) {
        self.program = program
        self.writer = writer
    }

    public func warning(_ message: String) {
        say("warning: \(message)")
    }

    public func error(_ message: String) {
        say("error: \(message)")
    }

    /// The hint below an error.
    func hint(_ message: String) {
        say(message)
    }

    private func say(_ message: String) {
        // Where standard error itself has failed there is nobody left to tell.
        try? writer.write(printable("\(program): \(message)", atMost: 1000).utf8)
    }
}

/// Says a trouble when it begins or changes, not each time it is met.
public struct ChangeFilter: Sendable {
    private var said: String?

    public init() {}

    /// - Returns: the trouble when it is news; nil when it has been said, or when there is none.
    public mutating func changed(to trouble: String?) -> String? {
        defer { said = trouble }
        return trouble == said ? nil : trouble
    }
}
