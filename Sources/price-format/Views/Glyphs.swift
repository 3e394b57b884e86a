/// The signs that a terminal can display.
struct Glyphs {
    let block: Character
    let up: Character
    let down: Character
    let dash: Character

    static let unicode = Glyphs(block: "█", up: "▲", down: "▼", dash: "·")
    /// For a terminal that does not use UTF-8.
    static let ascii = Glyphs(block: "#", up: "^", down: "v", dash: "-")
}
