/// The colors of what is shown. Only the eight basic colors are used: they are readable on a light and on a
/// dark background, as the user has set them up.
struct Palette {
    enum Meaning: String {
        case up = "32"
        case down = "31"
        case banner = "33"
        case price = "1"
    }

    let usesColor: Bool

    /// - Returns: the text as it is when colors are off.
    func paint(_ text: String, _ meaning: Meaning?) -> String {
        guard usesColor, let meaning, !text.isEmpty else { return text }
        return "\u{1B}[\(meaning.rawValue)m\(text)\u{1B}[0m"
    }
}
