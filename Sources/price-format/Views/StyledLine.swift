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

    var columns: Int { parts.reduce(0) { $0 + $1.text.columns } }

    func text(_ palette: Palette) -> String {
        parts.map { palette.paint($0.text, $0.meaning) }.joined()
    }
}

extension [StyledLine] {
    /// The first one that fits; otherwise the last one.
    func first(within columns: Int) -> StyledLine {
        first { $0.columns <= columns } ?? last ?? .empty
    }
}
