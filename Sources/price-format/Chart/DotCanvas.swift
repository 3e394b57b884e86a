/// A grid of dots, drawn as characters: eight Braille dots per character, or one `*`.
struct DotCanvas {
    private let columns: Int
    private let rows: Int
    /// Braille numbers its dots by column; the lowest two were added later.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// The number of dots per character, across and down.
    let across: Int
    let down: Int
    /// The dots of each character as the bits of its Braille pattern, in rows from the top.
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
        cells[fromTop / down][x / across] |= Self.bits[fromTop % down][x % across]
    }

    /// The characters of a row, counted from the top.
    func text(ofRow row: Int) -> String {
        var text: [UInt8] = []
        for bits in cells[row] {
            if bits == 0 {
                text.append(UInt8(ascii: " "))
            } else if down == 1 {
                text.append(UInt8(ascii: "*"))
            } else {
                // U+2800 and the bits, in UTF-8.
                text += [0xE2, 0xA0 | bits >> 6, 0x80 | bits & 0x3F]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
