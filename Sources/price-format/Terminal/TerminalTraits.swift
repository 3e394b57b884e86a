import PipeCommon

/// The properties of standard output that determine how the program writes to it.
struct TerminalTraits {
    let isTerminal: Bool
    /// Whether `TERM` is missing, empty or `dumb`. If so, the only safe way to write is to append lines.
    let isDumb: Bool
    /// Whether the user has turned off colors for all programs: https://no-color.org.
    let noColor: Bool
    let isUTF8: Bool

    static var standardOutput: TerminalTraits {
        func variable(_ name: String) -> String { environmentVariable(name) ?? "" }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable).first { !$0.isEmpty } ?? ""
        // A modifier may follow the encoding: `sr_RS.UTF-8@latin`.
        let encoding = locale.prefix { $0 != "@" }.lowercased()
        return TerminalTraits(
            isTerminal: isatty(STDOUT_FILENO) == 1, isDumb: ["", "dumb"].contains(variable("TERM")),
            noColor: !variable("NO_COLOR").isEmpty,
            isUTF8: encoding.hasSuffix("utf-8") || encoding.hasSuffix("utf8"))
    }

    /// The current width of the terminal; nil if there is no terminal or if its width is unknown.
    static var columns: Int? { windowSize(of: STDOUT_FILENO).map { Int($0.ws_col) } }

    /// The size of a page: `COLUMNS` by `LINES`. A variable that is missing, invalid or too large is replaced by the
    /// width or the height that `ScreenSize(of:)` returns.
    static var pageSize: ScreenSize {
        func number(_ name: String) -> Int? {
            let number = environmentVariable(name).flatMap { Int($0) }
            return number.flatMap { (1...ScreenSize.most).contains($0) ? $0 : nil }
        }
        let terminal = ScreenSize(of: STDOUT_FILENO)
        return ScreenSize(
            columns: number("COLUMNS") ?? terminal.columns, rows: number("LINES") ?? terminal.rows)
    }

    /// Whether frames can be drawn on standard output.
    var canDraw: Bool { isTerminal && !isDumb }

    var glyphs: Glyphs { isUTF8 ? .unicode : .ascii }
}

/// The value of `--color`.
enum ColorChoice: String, CaseIterable {
    case auto, always, never

    func usesColor(on terminal: TerminalTraits) -> Bool {
        switch self {
        case .auto: terminal.canDraw && !terminal.noColor
        case .always: true
        case .never: false
        }
    }
}
