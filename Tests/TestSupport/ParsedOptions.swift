import PipeCommon

extension CommandOptions {
    /// The options that a program reads from these command-line arguments. Throws a usage error if the arguments are
    /// invalid, or if the program would only print a text, such as its help.
    public init(parsing words: [String]) throws {
        switch try Self.command.request(words) {
        case .run(let options): self = options
        case .print(let text): throw UsageError("printed: \(text)")
        }
    }
}
