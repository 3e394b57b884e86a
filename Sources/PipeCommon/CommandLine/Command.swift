/// The options of a program as a checked value: its initial values are the defaults.
public protocol CommandOptions: Sendable {
    init()
    static var command: Command<Self> { get }
    /// Checks the options against each other, after each of them was read.
    mutating func validate() throws(UsageError)
}

extension CommandOptions {
    public func validate() throws(UsageError) {}
}

/// A program's command line, declared once: the source of the parser, of `--help` (from which the shell
/// completion is derived) and of the OPTIONS section of the manual page.
public struct Command<Options: CommandOptions>: Sendable {
    let name: String
    let summary: String
    /// The ways to call the program, without its name.
    let calls: [String]
    let options: [Option<Options>]
    let operands: Operands<Options>?
    let input: String?
    let notes: String

    /// - Parameters:
    ///   - summary: what the program does, in one sentence without its name.
    ///   - calls: the usage lines; the default is a single one with all options.
    ///   - input: the records that a program without operands reads from standard input, such as "readings".
    ///   - notes: the end of the help, in lines of at most 80 columns.
    public init(
        _ name: String, _ summary: String, calls: [String]? = nil, options: [Option<Options>],
        operands: Operands<Options>? = nil, input: String? = nil, notes: String = ""
    ) {
        self.name = name
        self.summary = summary
        self.options =
            options + [
                Option(["-h", "--help"], nil, "show this help and exit") { (_, _) in },
                Option(["--version"], nil, "show the version and exit") { (_, _) in },
            ]
        self.operands = operands
        self.input = input
        self.notes = notes
        let all = options.map { "[\($0.heading)]" } + [operands?.synopsis].compactMap { $0 }
        self.calls = calls ?? [all.joined(separator: " ")]
    }

    /// The action that the command line requests.
    public enum Request {
        case run(Options)
        case print(String)
    }

    /// Accepts `--name value`, `--name=value`, `-n 5` and `-n5`. Names must be exact, the last occurrence
    /// wins, and `--` ends the options.
    public func request(_ words: [String]) throws(UsageError) -> Request {
        var words = words[...]
        var given: [(option: Option<Options>, value: String)] = []
        var operands: [String] = []
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            // For the test that compares the manual page with the table.
            if word == "--help=mdoc" { return .print(manualOptions) }
            let (name, attached) = Self.parts(of: word)
            guard let option = options.first(where: { $0.names.contains(name) }) else {
                throw unknownOption(word)
            }
            given.append((option, try Self.value(of: option, name, attached, &words)))
        }
        let names = given.flatMap(\.option.names)
        if names.contains("--help") { return .print(helpText) }
        if names.contains("--version") { return .print("\(name) \(PipeCommon.version)") }
        return .run(try options(given, operands))
    }

    static func parts(of word: String) -> (name: String, attached: String?) {
        if !word.hasPrefix("--") {
            return (String(word.prefix(2)), word.count > 2 ? String(word.dropFirst(2)) : nil)
        }
        guard let end = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<end]), String(word[end...].dropFirst()))
    }

    private static func value(
        of option: Option<Options>, _ name: String, _ attached: String?, _ words: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard option.placeholder != nil else {
            if attached != nil { throw UsageError("\(name) takes no value") }
            return ""
        }
        guard let value = attached ?? words.popFirst() else { throw UsageError("missing value for \(name)") }
        return value
    }

    private func options(
        _ given: [(option: Option<Options>, value: String)], _ operands: [String]
    ) throws(UsageError) -> Options {
        var options = Options()
        for (option, value) in given { try option.read(value, &options) }
        if let unexpected = operands.dropFirst(self.operands?.limit ?? 0).first {
            let meant = exactOption(meantBy: unexpected).map { ": did you mean \($0)?" }
            let advice =
                meant ?? input.map { ": \($0) are read from standard input: \(name) < \(unexpected)" } ?? ""
            throw UsageError("unexpected argument '\(unexpected)'\(advice)")
        }
        if let path = self.operands?.path { options[keyPath: path] = operands }
        var names = Set(given.flatMap(\.option.names))
        if let operand = self.operands?.name, !operands.isEmpty { names.insert(operand) }
        for (option, _) in given { try option.check(against: names) }
        try options.validate()
        return options
    }
}
