import PipeCommon

/// The words and numbers of one row of a board, each with its width. Pure.
struct BoardRowText {
    let symbol: Cell
    let price: Cell
    /// An arrow, or the mark of a stale price or of a disputed one.
    let sign: Cell
    let move: Cell
    let today: Cell
    let minute: Cell
    let age: Cell
    let source: Cell
    let isStale: Bool
    /// Whether the sign must stay longer than the price: that of a stale or disputed one.
    let isMarked: Bool

    init(_ row: BoardRow, of board: Board, at moment: Moment, _ wording: Wording, _ glyphs: Glyphs) {
        let now = board.now(moment)
        isStale = board.isStale(row, at: moment)
        let isDisputed = !isStale && row.reading.isDisputed
        isMarked = isStale || isDisputed
        symbol = Cell(row.symbol.text)
        price = Cell(
            row.reading.quote.map(wording.money.text) ?? "-",
            isMarked ? .banner : row.isFlashing(at: moment.instant) ? row.move?.meaning : nil)
        age = Cell(board.age(of: row, at: moment)?.text ?? "never", isStale ? .banner : nil)
        let minute = row.session.minute.last(8, until: now.milliseconds)
        self.minute = Cell(Sparkline(glyphs: glyphs).text(minute), columns: minute.count)
        source = Cell(glyphs.shown(Self.origin(of: row.reading)))
        if isStale {
            sign = Cell("!", columns: 1, .banner)
            (move, today) = (.empty, .empty)
        } else {
            today = board.today(row).map { Self.today($0, wording) } ?? .empty
            let (arrow, move) = Self.move(of: row, wording, glyphs)
            (sign, self.move) = (isDisputed ? Cell("?", columns: 1, .banner) : arrow, move)
        }
    }

    private static func move(of row: BoardRow, _ wording: Wording, _ glyphs: Glyphs) -> (Cell, Cell) {
        guard let move = row.move else { return (.empty, .empty) }
        let arrow = Cell(String(move.isUp ? glyphs.up : glyphs.down), columns: 1, move.meaning)
        return (arrow, Cell("\(move.isUp ? "+" : "-")\(wording.money.text(move.difference))"))
    }

    private static func today(_ hundredths: Int, _ wording: Wording) -> Cell {
        let meaning: Palette.Meaning? = hundredths > 0 ? .up : hundredths < 0 ? .down : nil
        return Cell(wording.money.percentage(hundredths: hundredths), meaning)
    }

    /// The source, or the reason for the missing quote.
    private static func origin(of reading: Reading) -> String {
        if reading.isFresh { return reading.source ?? "" }
        return reading.failures.first?.kind.rawValue ?? "no quote"
    }
}

extension PriceChange {
    var meaning: Palette.Meaning { isUp ? .up : .down }
}
