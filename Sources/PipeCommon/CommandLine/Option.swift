/// A command-line option: its names, its value, its help, and the property in which its value is stored.
public struct Option<Options>: Sendable {
    let names: [String]
    /// The name of the value in capitals, the choices as `a|b`, or both, as in `PERCENT|off`; nil for a flag.
    let placeholder: String?
    let help: String
    let read: @Sendable (String, inout Options) throws(UsageError) -> Void
    private(set) var defaultText: String?
    private(set) var details = ""
    private var excluded: [String] = []
    private var required: [String] = []

    /// An option whose default is the initial value of its property.
    public init<Value>(
        _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, Value> & Sendable,
        _ form: ValueForm<Value>, _ help: String
    ) where Options: CommandOptions {
        self.init([name], placeholder, help) { (text, options) throws(UsageError) in
            options[keyPath: path] = try form.value(text, for: name)
        }
        defaultText = form.text(Options()[keyPath: path])
    }

    /// An option whose property is nil if the option is not given.
    ///
    /// - Parameter default: the text that the help shows as the default.
    public init<Value>(
        _ name: String, _ placeholder: String, _ path: WritableKeyPath<Options, Value?> & Sendable,
        _ form: ValueForm<Value>, _ help: String, default: String? = nil
    ) {
        self.init([name], placeholder, help) { (text, options) throws(UsageError) in
            options[keyPath: path] = try form.value(text, for: name)
        }
        defaultText = `default`
    }

    /// An option with a fixed set of choices. Its default is the initial value of its property.
    public init<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ name: String, _ path: WritableKeyPath<Options, Value> & Sendable, _ help: String
    ) where Options: CommandOptions {
        self.init(name, ValueForm<Value>.choices, path, .choice, help)
    }

    /// An option with a fixed set of choices. Its property is nil if the option is not given.
    ///
    /// - Parameter default: the text that the help shows as the default.
    public init<Value: CaseIterable & RawRepresentable<String> & Sendable>(
        _ name: String, _ path: WritableKeyPath<Options, Value?> & Sendable, _ help: String, default: String
    ) {
        self.init(name, ValueForm<Value>.choices, path, .choice, help, default: `default`)
    }

    /// A flag, that is, an option without a value. It sets its property to true.
    public init(_ name: String, _ path: WritableKeyPath<Options, Bool> & Sendable, _ help: String) {
        self.init([name], nil, help) { (_, options) in options[keyPath: path] = true }
    }

    init(
        _ names: [String], _ placeholder: String?, _ help: String,
        read: @escaping @Sendable (String, inout Options) throws(UsageError) -> Void
    ) {
        (self.names, self.placeholder, self.help, self.read) = (names, placeholder, help, read)
    }

    /// - Parameter names: the options and operands that cannot be combined with this option.
    public func excluding(_ names: String...) -> Option {
        var option = self
        option.excluded += names
        return option
    }

    /// - Parameter names: the options of which at least one must be given together with this option.
    public func requiring(_ names: String...) -> Option {
        var option = self
        option.required += names
        return option
    }

    /// - Parameter sentences: further text for the manual page, one sentence per line.
    public func explained(_ sentences: String) -> Option {
        var option = self
        option.details = sentences
        return option
    }

    /// The option as the help shows it, such as `--file FILE`.
    var heading: String {
        names.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "")
    }

    /// Checks this option against the whole command line. An option or operand that this option excludes must not be
    /// given. If this option requires other options, at least one of them must be given.
    ///
    /// - Parameter given: the names of the options on the command line and, if there are operands, `Operands.name`.
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
    /// The operands as the default usage line shows them, such as `PRIMARY [FALLBACK...]`.
    let synopsis: String
    let limit: Int
    let path: WritableKeyPath<Options, [String]> & Sendable

    public init(
        _ synopsis: String, _ path: WritableKeyPath<Options, [String]> & Sendable, atMost limit: Int = .max
    ) {
        (self.synopsis, self.path, self.limit) = (synopsis, path, limit)
    }

    /// The first word of `synopsis`, such as `PRIMARY`.
    var name: String { String(synopsis.prefix { $0 != " " }) }
}

/// A mistake on the command line, described for the user.
public struct UsageError: Error, Equatable, Sendable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}
