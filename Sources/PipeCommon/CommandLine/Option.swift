/// An option of a command line: its names, its value, its help, and where its value goes.
public struct Option<Options>: Sendable {
    let names: [String]
    /// The value's name in capitals, or the words to choose from, `a|b`; nil for a flag.
    let placeholder: String?
    let help: String
    /// More sentences for the manual page, one per line.
    let details: String
    let defaultText: String?
    let excluded: [String]
    let required: [String]
    let read: @Sendable (String, inout Options) throws(UsageError) -> Void

    /// An option that always has a value: the default is that of `Options()`.
    ///
    /// - Parameters:
    ///   - excludes: names of options and operands that cannot be combined with it.
    ///   - requires: names of options of which at least one must be given, too.
    public init<Value>(
        _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, Value> & Sendable,
        _ form: ValueForm<Value>, _ help: String, details: String = "", excludes: [String] = [],
        requires: [String] = []
    ) where Options: CommandOptions {
        self.init(
            [name], placeholder, help, details, form.text(Options()[keyPath: path]),
            excludes, requires
        ) { (text, options) throws(UsageError) in options[keyPath: path] = try form.value(text, for: name) }
    }

    /// An option that may be absent.
    ///
    /// - Parameter default: what happens then, for the help.
    public init<Value>(
        _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, Value?> & Sendable,
        _ form: ValueForm<Value>, _ help: String, default: String? = nil, details: String = "",
        excludes: [String] = [], requires: [String] = []
    ) {
        self.init([name], placeholder, help, details, `default`, excludes, requires) {
            (text, options) throws(UsageError) in options[keyPath: path] = try form.value(text, for: name)
        }
    }

    /// An option with words to choose from.
    public init<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ name: String, _ path: WritableKeyPath<Options, Value> & Sendable, _ help: String,
        details: String = ""
    ) where Options: CommandOptions {
        let values = Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, $0) })
        let words = Value.allCases.map(\.rawValue)
        let form = ValueForm<Value>(
            "\(words.dropLast().joined(separator: ", ")) or \(words.last!)", text: { $0.rawValue },
            parse: { values[$0] })
        self.init(name, words.joined(separator: "|"), path, form, help, details: details)
    }

    /// A flag.
    public init(_ name: String, _ path: WritableKeyPath<Options, Bool> & Sendable, _ help: String) {
        self.init([name], nil, help, "", nil, [], []) { (_, options) in options[keyPath: path] = true }
    }

    /// A flag that is not one of the program's own.
    init(_ names: String..., help: String) {
        self.init(names, nil, help, "", nil, [], []) { (_, _) in }
    }

    private init(
        _ names: [String], _ placeholder: String?, _ help: String, _ details: String, _ defaultText: String?,
        _ excluded: [String], _ required: [String],
        read: @escaping @Sendable (String, inout Options) throws(UsageError) -> Void
    ) {
        (self.names, self.placeholder, self.help, self.details) = (names, placeholder, help, details)
        (self.defaultText, self.excluded, self.required, self.read) = (defaultText, excluded, required, read)
    }

    /// `--file FILE`, as in the help.
    var heading: String {
        names.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "")
    }

    /// - Parameter names: what was given.
    func check(against given: Set<String>) throws(UsageError) {
        if let other = excluded.first(where: given.contains) {
            throw UsageError("\(names[0]) cannot be combined with \(other)")
        }
        if !required.isEmpty, given.isDisjoint(with: required) {
            throw UsageError("\(names[0]) requires \(required.joined(separator: " or "))")
        }
    }
}

/// The operands of a command line.
public struct Operands<Options>: Sendable {
    /// `PRIMARY [FALLBACK...]`
    let synopsis: String
    let limit: Int
    let path: WritableKeyPath<Options, [String]> & Sendable

    public init(
        _ synopsis: String, _ path: WritableKeyPath<Options, [String]> & Sendable, atMost limit: Int = .max
    ) {
        (self.synopsis, self.path, self.limit) = (synopsis, path, limit)
    }

    /// The name of the first one.
    var name: String { String(synopsis.prefix { $0 != " " }) }
}
