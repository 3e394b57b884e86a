/// Why the words on the command line make no sense.
public struct UsageError: Error, Equatable, Sendable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}

/// The words on the command line, sorted by the manual's table: values by option, and operands.
///
/// `--name value` or `--name=value`, exact names, the last one wins; `--` ends the options.
public struct Arguments: Sendable {
    public private(set) var operands: [String] = []
    private var values: [String: String] = [:]

    public init(_ words: [String], _ manual: Manual) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            if word == "--" {
                operands += words
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard let option = manual.option(named: parts[0]) else {
                throw UsageError("unknown option \(parts[0])")
            }
            values[option.names.last!] = try Self.value(of: option, parts, &words)
        }
    }

    private static func value(
        of option: Manual.Option, _ parts: [String], _ words: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let attached = parts.count > 1 ? parts[1] : nil
        guard option.value != nil else {
            if attached != nil { throw UsageError("\(parts[0]) takes no value") }
            return ""
        }
        guard let value = attached ?? words.popFirst() else { throw UsageError("\(parts[0]) needs a value") }
        return value
    }

    /// Refuses operands beyond those that a program takes.
    public func refuseOperands(after count: Int = 0) throws(UsageError) {
        if let operand = operands.dropFirst(count).first { throw UsageError("unexpected operand \(operand)") }
    }

    public func has(_ option: String) -> Bool {
        values[option] != nil
    }

    public func text(_ option: String) -> String? {
        values[option]
    }

    /// The value of an option, as `read` understands it; `what` says what it should be, "a URL".
    public func value<Value>(_ option: String, _ what: String, _ read: (String) -> Value?) throws(UsageError)
        -> Value?
    {
        guard let text = values[option] else { return nil }
        guard let value = read(text) else { throw UsageError("\(option) \(text): not \(what)") }
        return value
    }

    /// The value of an option as a duration: `800ms`, `1s`, `1.5m`.
    public func duration(_ option: String, from least: Duration = .milliseconds(1)) throws(UsageError)
        -> Duration?
    {
        try value(option, "a duration of at least \(least.milliseconds) ms, such as 800ms or 1s") { text in
            Duration(parsing: text).flatMap { $0 >= least ? $0 : nil }
        }
    }
}
