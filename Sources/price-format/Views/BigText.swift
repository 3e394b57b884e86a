/// A price in large letters of 5 rows, as large as the space allows.
struct BigText {
    private static let rows = 5

    /// The sizes of one dot of a letter in columns and rows, the largest first. A cell is twice as high as it
    /// is wide.
    private static let dots = [(6, 3), (4, 2), (2, 1), (1, 1)]

    /// The rows of each letter, one number per row. Its bits are the dots: 7 is three dots, 5 is two with a
    /// gap.
    private static let letters: [Character: (width: Int, rows: [Int])] = [
        "0": (3, [7, 5, 5, 5, 7]), "1": (3, [2, 6, 2, 2, 7]), "2": (3, [7, 1, 7, 4, 7]),
        "3": (3, [7, 1, 7, 1, 7]), "4": (3, [5, 5, 7, 1, 1]), "5": (3, [7, 4, 7, 1, 7]),
        "6": (3, [7, 4, 7, 5, 7]), "7": (3, [7, 1, 1, 1, 1]), "8": (3, [7, 5, 7, 5, 7]),
        "9": (3, [7, 5, 7, 1, 7]), "$": (3, [7, 6, 7, 3, 7]), "-": (3, [0, 0, 7, 0, 0]),
        ".": (1, [0, 0, 0, 0, 1]), ",": (2, [0, 0, 0, 1, 2]), "'": (1, [1, 1, 0, 0, 0]),
        " ": (2, [0, 0, 0, 0, 0]), "\u{A0}": (2, [0, 0, 0, 0, 0]), "\u{202F}": (2, [0, 0, 0, 0, 0]),
        "€": (3, [3, 6, 4, 6, 3]), "£": (3, [3, 2, 7, 2, 7]), "¥": (3, [5, 5, 7, 2, 2]),
    ]

    /// - Returns: nil if the text has other letters, or does not fit.
    static func lines(_ text: String, columns: Int, rows: Int, block: Character) -> [String]? {
        let letters = text.compactMap { Self.letters[$0] }
        guard letters.count == text.count, !letters.isEmpty else { return nil }
        let width = letters.map(\.width).reduce(0, +) + letters.count - 1
        guard let (across, down) = dots.first(where: { $0 * width <= columns && $1 * Self.rows <= rows })
        else {
            return nil
        }
        return (0..<Self.rows).flatMap { row in
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
