/// Draws a price in characters that are 5 dots high, with the largest dots that fit.
struct BigText {
    private static let rows = 5

    /// The possible sizes of a dot in columns and rows, the largest first. A terminal cell is about twice as high as it
    /// is wide.
    private static let dots = [(6, 3), (4, 2), (2, 1), (1, 1)]

    /// The width of a character in dots, and one number for each row; each set bit of a number is a dot. For example,
    /// the number 7 is three dots, and 5 is two dots with a gap between them.
    private typealias Letter = (width: Int, rows: [Int])

    private static let letters: [Character: Letter] = [
        "0": (3, [7, 5, 5, 5, 7]), "1": (3, [2, 6, 2, 2, 7]), "2": (3, [7, 1, 7, 4, 7]),
        "3": (3, [7, 1, 7, 1, 7]), "4": (3, [5, 5, 7, 1, 1]), "5": (3, [7, 4, 7, 1, 7]),
        "6": (3, [7, 4, 7, 5, 7]), "7": (3, [7, 1, 1, 1, 1]), "8": (3, [7, 5, 7, 5, 7]),
        "9": (3, [7, 5, 7, 1, 7]), "-": (3, [0, 0, 7, 0, 0]),
        ".": (1, [0, 0, 0, 0, 1]), ",": (2, [0, 0, 0, 1, 2]), "'": (1, [1, 1, 0, 0, 0]),
        "’": (1, [1, 1, 0, 0, 0]),
        " ": (2, [0, 0, 0, 0, 0]), "\u{A0}": (2, [0, 0, 0, 0, 0]), "\u{202F}": (2, [0, 0, 0, 0, 0]),
        "$": (5, [15, 20, 14, 5, 30]), "€": (3, [3, 6, 4, 6, 3]), "£": (3, [3, 2, 7, 2, 7]),
        "¥": (3, [5, 5, 7, 2, 2]), "A": (3, [2, 5, 7, 5, 5]), "B": (3, [6, 5, 6, 5, 6]),
        "C": (3, [3, 4, 4, 4, 3]), "D": (3, [6, 5, 5, 5, 6]), "E": (3, [7, 4, 6, 4, 7]),
        "F": (3, [7, 4, 6, 4, 4]), "G": (3, [3, 4, 5, 5, 3]), "H": (3, [5, 5, 7, 5, 5]),
        "I": (3, [7, 2, 2, 2, 7]), "J": (3, [1, 1, 1, 5, 2]), "K": (3, [5, 5, 6, 5, 5]),
        "L": (3, [4, 4, 4, 4, 7]), "M": (5, [17, 27, 21, 17, 17]), "N": (4, [9, 13, 11, 9, 9]),
        "O": (3, [2, 5, 5, 5, 2]), "P": (3, [6, 5, 6, 4, 4]), "Q": (3, [2, 5, 5, 7, 3]),
        "R": (3, [6, 5, 6, 5, 5]), "S": (3, [3, 4, 2, 1, 6]), "T": (3, [7, 2, 2, 2, 2]),
        "U": (3, [5, 5, 5, 5, 7]), "V": (3, [5, 5, 5, 5, 2]), "W": (5, [17, 17, 21, 27, 17]),
        "X": (3, [5, 5, 2, 5, 5]), "Y": (3, [5, 5, 2, 2, 2]), "Z": (3, [7, 1, 2, 4, 7]),
    ]

    /// A narrow dollar sign, used if the text would otherwise need smaller dots or would not fit at all.
    private static let narrowDollar: Letter = (3, [3, 6, 2, 3, 6])

    /// - Returns: the lines of the drawing; nil if the text is empty, contains a character that is not in `letters`, or
    ///   does not fit.
    static func lines(_ text: String, columns: Int, rows: Int, block: Character) -> [String]? {
        let wide = text.compactMap { letters[$0] }
        guard wide.count == text.count, !wide.isEmpty else { return nil }
        let narrow = text.compactMap { $0 == "$" ? narrowDollar : letters[$0] }
        for (across, down) in dots where down * Self.rows <= rows {
            for letters in [wide, narrow] {
                let width = letters.map(\.width).reduce(letters.count - 1, +)
                if across * width <= columns { return draw(letters, block, across, down) }
            }
        }
        return nil
    }

    private static func draw(_ letters: [Letter], _ block: Character, _ across: Int, _ down: Int) -> [String]
    {
        (0..<rows).flatMap { row in
            let dots = letters.map { letter in
                (0..<letter.width).reversed().map { letter.rows[row] >> $0 & 1 == 1 }
            }
            let line = dots.joined(separator: [false]).map { isOn in
                String(repeating: isOn ? block : " ", count: across)
            }
            return Array(repeating: line.joined(), count: down)
        }
    }
}
