/// A line of text whose parts can have different colors.
struct StyledLine {
    private var parts: [(text: String, meaning: Palette.Meaning?)] = []

    static let empty = StyledLine()

    private init() {}

    init(_ text: String, _ meaning: Palette.Meaning? = nil) {
        parts = [(text, meaning)]
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var line = left
        line.parts += right.parts
        return line
    }

    /// The line cut to a number of columns.
    func text(columns: Int, _ palette: Palette) -> String {
        var room = columns
        return parts.map { part in
            let text = String(part.text.prefix(max(0, room)))
            room -= text.count
            return palette.paint(text, part.meaning)
        }.joined()
    }
}

extension String {
    /// The text in lines that are broken between words. A word longer than a line is not broken.
    func wrapped(to columns: Int) -> [String] {
        split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}
