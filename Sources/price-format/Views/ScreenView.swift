import PipeCommon

/// Lays out a board on the whole screen. Pure.
protocol ScreenLayout {
    /// At most as many lines as the screen has rows, none wider than its columns.
    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [String]

    /// Whether a person can move around in it.
    var isInteractive: Bool { get }

    /// What the terminal is named.
    func title(_ board: Board, at moment: Moment) -> String
}

/// Shows the prices of a board in large digits. The symbols share its rows; the last row counts those that do not fit.
/// A sign in the corner changes with each beat: a price that does not move looks different from a program that has
/// stopped. Pure.
struct ScreenView: ScreenLayout {
    let isInteractive = false
    private let wording: Wording
    private let palette: Palette
    private let glyphs: Glyphs

    init(_ wording: Wording, _ palette: Palette, _ glyphs: Glyphs) {
        self.wording = wording
        self.palette = palette
        self.glyphs = glyphs
    }

    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [String] {
        let isCrowded = board.rows.count > size.rows
        let shown = board.rows.prefix(isCrowded ? size.rows - 1 : size.rows)
        let share = isCrowded ? 1 : size.rows / max(1, shown.count)
        var lines = shown.flatMap { row in
            let view = SymbolView(
                wording: wording, glyphs: glyphs, board: board, row: row, moment: moment,
                columns: size.columns)
            let lines = view.lines(share)
            return lines + Array(repeating: .empty, count: share - lines.count)
        }
        if isCrowded { lines.append(rest(of: board, after: shown.count).first(within: size.columns)) }
        while lines.last?.columns == 0 { lines.removeLast() }
        addPulse(board.beats.count, to: &lines, size.columns)
        return lines.map { line in
            line.columns <= size.columns ? line.text(palette) : String(glyphs.ellipsis.prefix(size.columns))
        }
    }

    /// The first symbol and its price.
    func title(_ board: Board, at moment: Moment) -> String {
        guard let reading = board.rows.first?.reading else { return "" }
        let price = reading.quote.map(wording.money.text) ?? "-"
        let mark = reading.isDisputed ? " (disputed)" : reading.isFresh ? "" : " (stale)"
        return printable("\(reading.pricedSymbol.text) \(price)\(mark)")
    }

    private func rest(of board: Board, after shown: Int) -> [StyledLine] {
        let hidden = board.rows.dropFirst(shown)
        let stale = hidden.count { !$0.reading.isFresh }
        let mark = stale == 0 ? "" : ", \(stale) stale"
        let texts = ["\(hidden.count) more symbols not shown\(mark)", "\(hidden.count) more\(mark)"]
        let short = "+\(hidden.count)\(stale == 0 ? "" : "!")"
        return (texts + [short]).map { StyledLine($0, stale == 0 ? nil : .banner) }
    }

    private func addPulse(_ beats: Int, to lines: inout [StyledLine], _ columns: Int) {
        guard let row = lines.firstIndex(where: { $0.columns + 2 <= columns }) else { return }
        let gap = String(repeating: " ", count: columns - 1 - lines[row].columns)
        lines[row] = lines[row] + StyledLine(gap + String(glyphs.pulse[beats % glyphs.pulse.count]))
    }
}
