/// The texts that are generated from a command's table.
extension Command {
    private static var columns: Int { 80 }

    var helpText: String {
        let calls = calls.enumerated().map { index, call in
            lines(units(of: call), after: "\(index == 0 ? "Usage:" : "      ") \(name) ")
        }
        let width = options.map(\.heading.count).max() ?? 0
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

    /// Escapes the hyphens of option names, which a manual page would otherwise print as dashes.
    private static func escaped(_ text: String) -> String {
        let words = text.split(separator: " ").map { $0.hasPrefix("--") ? #"\-\-"# + $0.dropFirst(2) : $0 }
        return words.joined(separator: " ")
    }

    private var takesDuration: Bool { options.contains { $0.placeholder == "DURATION" } }

    private var durationForm: String { "a number with ms, s, m, h or d; a bare number is seconds." }

    /// Wraps text after `start`. Further lines are indented by the width of `start`, unless `indent` is
    /// given.
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

    /// The parts of a call that must not be split across lines: `[--file FILE]`, `--price POINTER`.
    private func units(of call: String) -> [Substring] {
        call.split(separator: " ").reduce(into: []) { units, word in
            let last = units.last ?? ""
            let isOpen = last.first == "[" && !last.contains("]")
            let isName = last.first == "-" && word.allSatisfy(\.isUppercase)
            if isOpen || isName { units[units.count - 1] += " " + word } else { units.append(word) }
        }
    }
}
