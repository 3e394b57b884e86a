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

    static let unicode = Glyphs(block: "█", up: "▲", down: "▼", dash: "·", ellipsis: "…", pulse: ["●", "○"])
    /// For a terminal that does not use UTF-8.
    static let ascii = Glyphs(block: "#", up: "^", down: "v", dash: "-", ellipsis: "...", pulse: ["*", "+"])
}
