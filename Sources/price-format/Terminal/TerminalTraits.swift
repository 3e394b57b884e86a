import PipeCommon

/// What standard output is, as far as colours and frames are concerned.
struct TerminalTraits {
    let isTerminal: Bool
    /// `TERM` of a terminal that only appends lines.
    let isDumb: Bool
    /// The user wants no colours, anywhere: https://no-color.org.
    let noColor: Bool
    let isUTF8: Bool

    static func ofStandardOutput() -> TerminalTraits {
        func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        let encoding = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).first { !$0.isEmpty } ?? ""
        return TerminalTraits(
            isTerminal: isatty(STDOUT_FILENO) == 1, isDumb: ["", "dumb"].contains(variable("TERM")),
            noColor: !variable("NO_COLOR").isEmpty,
            isUTF8: encoding.lowercased().hasSuffix("utf-8") || encoding.lowercased().hasSuffix("utf8"))
    }

    /// Whether frames can be drawn on it.
    var canDraw: Bool { isTerminal && !isDumb }

    var glyphs: Glyphs { isUTF8 ? .unicode : .ascii }
}

/// When to use colours.
enum ColorChoice: String {
    case auto, always, never

    func isOn(_ terminal: TerminalTraits) -> Bool {
        switch self {
        case .auto: terminal.canDraw && !terminal.noColor
        case .always: true
        case .never: false
        }
    }
}
