/// What colours mean here; with colours off, text is left as it is. The eight basic colours are readable on a light
/// and on a dark background as the user has set them.
struct Palette {
    enum Meaning: String {
        case up = "32"
        case down = "31"
        case banner = "33"
        case price = "1"
    }

    let usesColor: Bool

    func paint(_ text: String, _ meaning: Meaning?) -> String {
        guard usesColor, let meaning, !text.isEmpty else { return text }
        return "\u{1B}[\(meaning.rawValue)m\(text)\u{1B}[0m"
    }
}
