/// A program's messages to its user, one line each on standard error, in one fixed form:
/// `price-cache: warning: line 3: not a JSON object`. Text from outside is made printable.
public struct Diagnostics: Sendable {
    private let program: String
    private let writer: LineWriter

    public init(program: String, writer: LineWriter = LineWriter(descriptor: STDERR_FILENO)) {
        self.program = program
        self.writer = writer
    }

    public func warning(_ message: String) {
        write("warning: \(message)")
    }

    public func error(_ message: String) {
        write("error: \(message)")
    }

    /// A hint after an error.
    func hint(_ message: String) {
        write(message)
    }

    private func write(_ message: String) {
        // If standard error itself has failed, there is nowhere left to report it.
        try? writer.write(printable("\(program): \(message)", atMost: 1000).utf8)
    }
}
