/// The colors of the output. Only the eight basic colors are used, because terminals are usually set up so that these
/// colors are readable on the background.
struct Palette {
    enum Meaning: String {
        case up = "32"
        case down = "31"
        case banner = "33"
        case price = "1"
    }

    let usesColor: Bool

    /// - Parameter isReversed: whether foreground and background are exchanged.
    /// - Returns: the text unchanged if colors are off.
    func paint(_ text: String, _ meaning: Meaning?, isReversed: Bool = false) -> String {
        guard usesColor, !text.isEmpty, meaning != nil || isReversed else { return text }
        var painted = "\u{1B}["
        if isReversed { painted += meaning == nil ? "7" : "7;" }
        if let meaning { painted += meaning.rawValue }
        painted += "m"
        painted += text
        painted += "\u{1B}[0m"
        return painted
    }
}

/// A text whose parts can have different colors, and whose width is known.
struct Styled: ExpressibleByStringInterpolation {
    private struct Part {
        var text: String
        let meaning: Palette.Meaning?
    }

    private var parts: [Part] = []
    private var isReversed = false
    /// The number of terminal columns that the text takes.
    private(set) var columns = 0

    static let empty = Styled()

    private init() {}

    init(_ text: String, _ meaning: Palette.Meaning? = nil) {
        (parts, columns) = ([Part(text: text, meaning: meaning)], text.columns)
    }

    /// A text of characters that each take one column. The color of a blank is invisible, so blanks belong to the same
    /// part as the next visible character; blanks at the end form a separate part.
    init(_ cells: [(glyph: Unicode.Scalar, meaning: Palette.Meaning?)]) {
        var (run, blanks, meaning): ([UInt8], Int, Palette.Meaning?) = ([], 0, nil)
        func addRun() {
            guard !run.isEmpty else { return }
            parts.append(Part(text: String(decoding: run, as: UTF8.self), meaning: meaning))
            run.removeAll(keepingCapacity: true)
        }
        for cell in cells {
            guard cell.glyph != " " else {
                blanks += 1
                continue
            }
            if cell.meaning != meaning { addRun() }
            for _ in 0..<blanks { run.append(UInt8(ascii: " ")) }
            (blanks, meaning) = (0, cell.meaning)
            run += UTF8.encode(cell.glyph)!
        }
        addRun()
        self += .blanks(blanks)
        columns = cells.count
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    /// Blanks of the usual widths, created only once, because creating them again and again would noticeably slow down
    /// the drawing of a board.
    private static let usualBlanks = (0..<32).map { Styled(String(repeating: " ", count: $0)) }

    /// - Parameter count: the number of blanks; if it is less than one, the result is empty.
    static func blanks(_ count: Int) -> Styled {
        guard count > 0 else { return empty }
        return count < usualBlanks.count ? usualBlanks[count] : Styled(String(repeating: " ", count: count))
    }

    static func + (left: Styled, right: Styled) -> Styled {
        var both = left
        both += right
        return both
    }

    static func += (left: inout Styled, right: Styled) {
        left.parts += right.parts
        left.columns += right.columns
    }

    /// The text, followed by blanks up to a given width.
    func atStart(of width: Int) -> Styled { columns < width ? self + .blanks(width - columns) : self }

    /// The text, preceded by blanks up to a given width.
    func atEnd(of width: Int) -> Styled { columns < width ? .blanks(width - columns) + self : self }

    /// The text if it fits; otherwise the result of `String.shortened`, all in the color of the last part. Prices must
    /// not be shortened, because a shortened price looks like another price.
    func shortened(to columns: Int, _ ellipsis: String) -> Styled {
        if self.columns <= columns { return self }
        return Styled(parts.map(\.text).joined().shortened(to: columns, ellipsis), parts.last?.meaning)
    }

    /// The text if it fits; otherwise as much of the ellipsis as fits.
    func whole(within columns: Int, _ ellipsis: String) -> Styled {
        self.columns <= columns ? self : Styled(String(ellipsis.prefix(columns)))
    }

    /// The text, wrapped into lines that all have the color of the last part. A word without digits is broken if it is
    /// wider than `columns`. A word with a digit is never broken, because a part of a price looks like another price.
    /// If such a word is wider than `columns`, its line is too.
    func wrapped(to columns: Int) -> [Styled] {
        let words = parts.map(\.text).joined().split(separator: " ").map(String.init)
        return words.flatMap { $0.contains(where: \.isWholeNumber) ? [$0] : $0.pieces(of: columns) }
            .wrapped(to: columns).map { Styled($0, parts.last?.meaning) }
    }

    /// The whole text in reverse video, if colors are used.
    var reversed: Styled {
        var line = self
        line.isReversed = true
        return line
    }

    /// The text with its colors. Parts at the end that contain only blanks and have no color are left out, unless the
    /// text is painted in reverse video.
    func text(_ palette: Palette) -> String {
        if isReversed, palette.usesColor { return reversedText(palette) }
        var text = ""
        let end =
            parts.lastIndex { $0.meaning != nil || $0.text.utf8.contains { $0 != UInt8(ascii: " ") } } ?? -1
        for part in parts[...end] { text += palette.paint(part.text, part.meaning) }
        return text
    }

    private func reversedText(_ palette: Palette) -> String {
        let runs = parts.reduce(into: [Part]()) { runs, part in
            let isSame = runs.last.map { $0.meaning == part.meaning } ?? false
            if isSame { runs[runs.count - 1].text += part.text } else { runs.append(part) }
        }
        return runs.map { palette.paint($0.text, $0.meaning, isReversed: true) }.joined()
    }
}

extension [Styled] {
    /// The first text that fits; if none fits, the last text.
    func first(within columns: Int) -> Styled {
        first { $0.columns <= columns } ?? last ?? .empty
    }

    func joined(by gap: Styled) -> Styled {
        dropFirst().reduce(first ?? .empty) { $0 + gap + $1 }
    }
}
