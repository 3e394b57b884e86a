/// A piece of text in a row of a table, whose width is known.
struct Cell {
    let text: String
    let columns: Int
    var meaning: Palette.Meaning?

    static let empty = Cell("", columns: 0)

    init(_ text: String, _ meaning: Palette.Meaning? = nil) {
        self.init(text, columns: text.columns, meaning)
    }

    init(_ text: String, columns: Int, _ meaning: Palette.Meaning? = nil) {
        (self.text, self.columns, self.meaning) = (text, columns, meaning)
    }
}

/// A row of cells as one line of text.
struct CellLine {
    private(set) var text = ""
    private let palette: Palette

    init(_ palette: Palette) {
        self.palette = palette
    }

    /// Adds a cell at the left of a field of this width.
    mutating func add(_ cell: Cell, width: Int) {
        text += palette.paint(cell.text, cell.meaning)
        add(blanks: width - cell.columns)
    }

    /// Adds a cell at the right of a field of this width.
    mutating func add(_ cell: Cell, atEndOf width: Int) {
        add(blanks: width - cell.columns)
        text += palette.paint(cell.text, cell.meaning)
    }

    mutating func addLineEnd() { text += "\n" }

    mutating func add(blanks count: Int) {
        for _ in 0..<max(0, count) { text += " " }
    }
}
