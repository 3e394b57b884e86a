/// The signs that a terminal can display.
struct Glyphs {
    let block: Character
    let up: Character
    let down: Character
    let dash: Character
    /// Stands for what does not fit.
    let ellipsis: String
    /// One after another, a sign per beat.
    let pulse: [Character]
    let connection: ConnectionSigns
    /// Before the selected row.
    let selection: String
    let rule: Character
    /// Beside what the rows are sorted by: the highest first, or the lowest.
    let descending: String
    let ascending: String
    /// From the lowest price to the highest, one column each.
    let sparkline: [Character]
    /// Stands for a time without a price in a sparkline.
    let gap: Character
    let arrowKeys: String
    let enterKey: String

    /// Text from outside: what the terminal cannot display is a question mark.
    func shown(_ text: String) -> String {
        guard ellipsis.utf8.count == ellipsis.count, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    struct ConnectionSigns {
        let live: String
        let partial: String
        let silent: String
        let stopped: String
    }

    static let unicode = Glyphs(
        block: "█", up: "▲", down: "▼", dash: "·", ellipsis: "…", pulse: ["●", "○"],
        connection: ConnectionSigns(live: "●", partial: "◐", silent: "○", stopped: "‖"), selection: "▸",
        rule: "─", descending: "▾", ascending: "▴", sparkline: Array("▁▂▃▄▅▆▇█"), gap: "·",
        arrowKeys: "↑↓", enterKey: "⏎")
    /// For a terminal that does not use UTF-8.
    static let ascii = Glyphs(
        block: "#", up: "^", down: "v", dash: "-", ellipsis: "...", pulse: ["*", "+"],
        connection: ConnectionSigns(live: "*", partial: "+", silent: "-", stopped: "="), selection: ">",
        rule: "-", descending: "v", ascending: "^", sparkline: Array("_.-=^"), gap: " ",
        arrowKeys: "up/down", enterKey: "enter")
}
