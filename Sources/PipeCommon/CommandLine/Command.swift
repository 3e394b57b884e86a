/// The options of a program after parsing. The property of an option that is not given keeps its initial value.
public protocol CommandOptions: Sendable {
    init()
    static var command: Command<Self> { get }
    /// Checks and completes the options after all of them have been read.
    mutating func validate() throws(UsageError)
}

extension CommandOptions {
    public func validate() throws(UsageError) {}
}

/// A program's command line, declared once. The parser, `--help` (from which the shell completions are derived) and the
/// OPTIONS section of the manual page are all based on this declaration.
public struct Command<Options: CommandOptions>: Sendable {
    let name: String
    let summary: String
    /// The usage lines, without the program's name.
    let calls: [String]
    let options: [Option<Options>]
    let operands: Operands<Options>?
    let input: @Sendable (Options) -> String?
    let notes: String

    /// - Parameters:
    ///   - summary: a phrase that starts with a verb and describes the program. The help prints the program's name
    ///     before this phrase.
    ///   - calls: the usage lines; the default is a single line with `options` and `operands`.
    ///   - input: returns the kind of records that the program reads from standard input, such as "readings", for the
    ///     advice in the error about an unexpected argument; returns nil to give no advice.
    ///   - notes: the text at the end of the help, in lines of at most 80 columns.
    public init(
        _ name: String, _ summary: String, calls: [String]? = nil, options: [Option<Options>],
        operands: Operands<Options>? = nil, input: @escaping @Sendable (Options) -> String? = { _ in nil },
        notes: String
    ) {
        self.name = name
        self.summary = summary
        self.options =
            options + [
                Option(["-h", "--help"], nil, "print a summary of the options and exit") { (_, _) in },
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

    /// Parses the words of a command line: accepts `--name value`, `--name=value`, `-n 5` and `-n5`. Names must not be
    /// abbreviated. Unless help or the version is requested, each value must be valid. If an option occurs several
    /// times, its last value counts. `--` ends the options.
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
            // Prints the OPTIONS section for the manual page. A test compares it with the section in the page.
            if word == "--help=mdoc" { return .print(manualOptions) }
            let (name, attached) = Self.parts(of: word)
            guard let option = options.first(where: { $0.names.contains(name) }) else {
                throw UsageError("unknown option \(name)")
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
            let reads = "are read from standard input"
            let advice = input(options).map { ": \($0) \(reads): \(name) < \(unexpected)" } ?? ""
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

/// The help and the OPTIONS section of the manual page, generated from the declaration of a command.
extension Command {
    private static var columns: Int { 80 }

    var helpText: String {
        let calls = calls.enumerated().map { index, call in
            lines(units(of: call), after: "\(index == 0 ? "Usage:" : "      ") \(name) ")
        }
        let width = options.map(\.heading.count).max()!
        let table = options.map { option in
            let text = option.help + (option.defaultText.map { " (default: \($0))" } ?? "")
            let space = String(repeating: " ", count: width - option.heading.count)
            return lines(text.split(separator: " "), after: "  \(option.heading)\(space)  ")
        }
        let parts = [
            lines(summary.split(separator: " "), after: "\(name): ", indent: 0),
            calls.joined(separator: "\n"), table.joined(separator: "\n"),
            takesDuration ? "DURATION is \(durationForm)" : "", notes,
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// The OPTIONS section of the manual page, in mdoc.
    var manualOptions: String {
        let items = options.flatMap { option in
            let names = option.names.map { "Fl \($0.dropFirst())" }.joined(separator: " , ")
            let text = [option.help.prefix(1).uppercased() + option.help.dropFirst() + "."]
            let standard = option.defaultText.map { ["The default is \($0)."] } ?? []
            let details = option.details.split(separator: "\n").map(String.init)
            let lines = (text + standard + details).map(Self.escaped)
            return [".It \(names)\(option.placeholder.map { " Ar \($0)" } ?? "")"] + lines
        }
        let durations = takesDuration ? [".Pp", "A", ".Ar DURATION", "is \(durationForm)"] : []
        return ([".Sh OPTIONS", ".Bl -tag -width Ds"] + items + [".El"] + durations).joined(separator: "\n")
    }

    /// Escapes the hyphens at the beginning of long options. Otherwise, the manual page could show other characters in
    /// place of these hyphens.
    private static func escaped(_ text: String) -> String {
        let words = text.split(separator: " ").map { $0.hasPrefix("--") ? #"\-\-"# + $0.dropFirst(2) : $0 }
        return words.joined(separator: " ")
    }

    private var takesDuration: Bool { options.contains { $0.placeholder == "DURATION" } }

    private var durationForm: String { "a number followed by ms, s, m, h or d; a bare number is in seconds." }

    /// Wraps text to 80 columns. The first line begins with `start`; further lines are indented by `indent` or, if
    /// `indent` is nil, by the width of `start`.
    private func lines(_ units: [Substring], after start: String, indent: Int? = nil) -> String {
        let indent = String(repeating: " ", count: indent ?? start.count)
        var lines: [String] = []
        var line = start
        var isEmpty = true
        for unit in units {
            if !isEmpty, line.count + 1 + unit.count > Self.columns {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + unit
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// The parts of a usage line that must not be split across lines, such as `[--file FILE]`.
    private func units(of call: String) -> [Substring] {
        call.split(separator: " ").reduce(into: []) { units, word in
            if let last = units.last, last.first == "[", !last.contains("]") {
                units[units.count - 1] += " " + word
            } else {
                units.append(word)
            }
        }
    }
}
