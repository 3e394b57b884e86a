/// Dots in a field of characters: eight Braille dots per character, or one `*`.
struct DotCanvas {
    private let columns: Int
    private let rows: Int
    /// The number of dots per character, across and down.
    let across: Int
    let down: Int
    /// By rows from the top: the dots of each character as the bits of its Braille pattern.
    private var cells: [[UInt8]]

    init(columns: Int, rows: Int, usesBraille: Bool) {
        (self.columns, self.rows) = (columns, rows)
        (across, down) = usesBraille ? (2, 4) : (1, 1)
        cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    }

    /// - Parameters:
    ///   - x: from the left.
    ///   - y: from the bottom.
    mutating func set(_ x: Int, _ y: Int) {
        let fromTop = rows * down - 1 - y
        // The patterns count their dots by columns; the lowest two were added later.
        let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        cells[fromTop / down][x / across] |= bits[fromTop % down][x % across]
    }

    /// The characters of a row, counted from the top.
    func text(ofRow row: Int) -> String {
        let text = cells[row].map { bits -> Character in
            if bits == 0 { return " " }
            return down == 1 ? "*" : Character(Unicode.Scalar(0x2800 + UInt32(bits))!)
        }
        return String(text)
    }
}
