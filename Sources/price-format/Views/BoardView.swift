import PipeCommon

/// Lays out a board as a list with a row per symbol. Pure.
struct BoardView: ScreenLayout {
    private let wording: Wording
    private let palette: Palette
    private let glyphs: Glyphs
    private let header: BoardHeader

    init(_ wording: Wording, _ palette: Palette, _ glyphs: Glyphs) {
        (self.wording, self.palette, self.glyphs) = (wording, palette, glyphs)
        header = BoardHeader(wording: wording, glyphs: glyphs)
    }

    func lines(_ board: Board, at wall: Timestamp, _ size: ScreenSize) -> [String] {
        let frame = BoardFrame(rows: size.rows)
        let texts = board.rows.map { BoardRowText($0, of: board, at: wall, wording, glyphs) }
        let columns = BoardColumns(texts, width: size.columns, palette, glyphs)
        let list = board.list
        let start = frame.start(of: list.count, showing: board.choice.place)
        let end = min(list.count, start + frame.listed)
        let rule = String(repeating: glyphs.rule, count: size.columns)
        var lines: [String] = []
        if frame.hasHeader { lines.append(header.line(board, at: wall, columns: size.columns).text(palette)) }
        if frame.hasRules { lines.append(rule) }
        if frame.hasTitles { lines.append(columns.titles) }
        for place in list[start..<end] {
            let isSelected = board.rows[place].symbol == board.choice.selected
            lines.append(columns.line(texts[place], isSelected: isSelected))
        }
        if frame.hasRules { lines.append(rule) }
        return lines
    }

    func title(_ board: Board, at wall: Timestamp) -> String {
        "btc-price: \(board.freshCount(at: wall)) of \(board.rows.count) fresh"
    }
}
