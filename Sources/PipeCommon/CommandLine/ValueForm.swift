/// The textual form of an option's value.
public struct ValueForm<Value>: Sendable {
    /// The expected values as error messages name them, such as "auto, always or never".
    let expected: String
    let text: @Sendable (Value) -> String
    private let parse: @Sendable (String) -> Value?

    /// - Parameters:
    ///   - text: formats a value for the help.
    ///   - parse: returns nil for an invalid value.
    public init(
        _ expected: String, text: @escaping @Sendable (Value) -> String = { "\($0)" },
        parse: @escaping @Sendable (String) -> Value?
    ) {
        (self.expected, self.text, self.parse) = (expected, text, parse)
    }

    func value(_ text: String, for option: String) throws(UsageError) -> Value {
        guard let value = parse(text) else {
            throw UsageError("invalid value '\(text)' for \(option): expected \(expected)")
        }
        return value
    }
}

extension ValueForm where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// One of the cases of an enumeration, written as its raw value.
    static var choice: ValueForm {
        let words = Value.allCases.map(\.rawValue)
        return ValueForm(
            "\(words.dropLast().joined(separator: ", ")) or \(words.last!)", text: { $0.rawValue },
            parse: { Value(rawValue: $0) })
    }

    /// The choices as they are shown in the help: `a|b`.
    static var choices: String { Value.allCases.map(\.rawValue).joined(separator: "|") }
}

extension ValueForm<String> {
    /// Any text that is not empty.
    public static func text(_ expected: String) -> ValueForm {
        ValueForm(expected) { $0.isEmpty ? nil : $0 }
    }
}

extension ValueForm<Int> {
    /// A whole number in a range, written with digits only.
    public static func count(in range: ClosedRange<Int>) -> ValueForm {
        ValueForm("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            guard text.utf8.allSatisfy(UInt8.isDigit), let count = Int(text), range.contains(count) else {
                return nil
            }
            return count
        }
    }
}

extension ValueForm<Duration> {
    /// A duration of at least `least`, such as 800ms or 1s.
    public static func duration(from least: Duration = .milliseconds(1)) -> ValueForm {
        ValueForm(
            "a duration of at least \(least.milliseconds)ms, such as 800ms or 1s",
            text: {
                switch $0.milliseconds {
                case let time where time % 60_000 == 0: "\(time / 60_000)m"
                case let time where time % 1000 == 0: "\(time / 1000)s"
                case let time: "\(time)ms"
                }
            },
            parse: { text in Duration(parsing: text).flatMap { $0 >= least ? $0 : nil } })
    }
}

extension Duration {
    /// Parses `800ms`, `1s`, `1.5m`, `2h` or `7d`; a number without a unit is in seconds. The number consists of 1 to 9
    /// digits, which may be followed by a decimal point and 1 to 9 decimals. A sign is not allowed.
    public init?(parsing text: String) {
        let number = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let nanoseconds = Self.unitNanoseconds[String(text.dropFirst(number.count))],
            parts.allSatisfy({ (1...9).contains($0.count) }),
            let whole = Int(parts[0]), let fraction = Int((parts.count > 1 ? parts[1] : "0").padded(to: 9))
        else { return nil }
        self = .nanoseconds(whole) * nanoseconds + .nanoseconds(fraction) * nanoseconds / 1_000_000_000
    }

    private static let unitNanoseconds: [String: Int] = [
        "ms": 1_000_000, "s": 1_000_000_000, "": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
        "d": 86_400_000_000_000,
    ]
}

extension Substring {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "0", count: count - self.count)
    }
}
