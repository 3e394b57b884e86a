/// A program's own table: what `--help` prints, and the only options that it takes.
public struct Manual: Sendable {
    public struct Option: Sendable {
        public let names: [String]
        /// What stands for the value in the help: its name in capitals, or the words to choose from, `a|b`; nil for
        /// a flag. The completions of the shells are made from it.
        public let value: String?
        public let help: String

        public init(_ names: String..., value: String? = nil, help: String) {
            self.names = names
            self.value = value
            self.help = help
        }

        /// `--file FILE`, as in the help.
        var heading: String {
            names.joined(separator: ", ") + (value.map { " \($0)" } ?? "")
        }
    }

    public let program: String
    /// What the program does, in one sentence without its name.
    public let sentence: String
    /// The ways to call it, without the program's name.
    public let synopsis: [String]
    public let options: [Option]
    public let notes: String

    public init(program: String, sentence: String, synopsis: [String], options: [Option], notes: String = "")
    {
        self.program = program
        self.sentence = sentence
        self.synopsis = synopsis
        self.options = options + [Self.helpOption, Self.versionOption]
        self.notes = notes
    }

    static let helpOption = Option("-h", "--help", help: "show this help and exit")
    static let versionOption = Option("--version", help: "show the version and exit")

    public func option(named name: String) -> Option? {
        options.first { $0.names.contains(name) }
    }

    public var usage: String {
        let calls = synopsis.enumerated().map { index, call in
            "\(index == 0 ? "Usage:" : "      ") \(program) \(call)"
        }
        let width = options.map(\.heading.count).max() ?? 0
        let table = options.map { option in
            "  \(option.heading)\(String(repeating: " ", count: width - option.heading.count))  \(option.help)"
        }
        let parts = [
            "\(program): \(sentence)", calls.joined(separator: "\n"), table.joined(separator: "\n"), notes,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}
