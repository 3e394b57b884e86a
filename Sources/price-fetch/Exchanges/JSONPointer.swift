import PipeCommon

/// A place in a JSON value (RFC 6901): `/data/0/last`, with `~1` for `/` and `~0` for `~` in a name.
struct JSONPointer: Sendable {
    let text: String
    private let steps: [String]

    init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var steps: [String] = []
        for escaped in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let step = Self.unescaped(escaped) else { return nil }
            steps.append(step)
        }
        self.text = text
        self.steps = steps
    }

    func value(in json: JSON) -> JSON? {
        steps.reduce(json) { (place: JSON?, step) in
            switch place {
            case .object?: place?[step]
            case .array?: Self.index(step).flatMap { place?[$0] }
            default: nil
            }
        }
    }

    private static func unescaped(_ step: Substring) -> String? {
        let escapes = step.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
        guard escapes.allSatisfy({ $0.hasPrefix("0") || $0.hasPrefix("1") }) else { return nil }
        return String(step).replacing("~1", with: "/").replacing("~0", with: "~")
    }

    /// An array index has only digits and no leading zero.
    private static func index(_ step: String) -> Int? {
        guard step == "0" || !step.hasPrefix("0"),
            step.utf8.allSatisfy(UInt8.isDigit)
        else { return nil }
        return Int(step)
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// For literals in the source code.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
