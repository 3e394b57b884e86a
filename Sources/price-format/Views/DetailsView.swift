import PipeCommon

/// Lays out the details of one symbol: its price in large digits, its name and description, the session, and the latest
/// readings as far as there is room. Pure.
struct DetailsView {
    let wording: Wording
    let glyphs: Glyphs

    /// At most as many lines as the size has rows, none wider than its columns.
    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [StyledLine] {
        guard let symbol = board.choice.selected else { return [] }
        let columns = size.columns
        guard let row = board.row(of: symbol) else {
            let words = ["no", "reading", "of", symbol.text, "yet"].wrapped(to: columns)
            return words.prefix(size.rows).map { fitting(StyledLine($0), columns) }
        }
        let now = board.now(moment)
        let view = SymbolView(
            wording: wording, glyphs: glyphs, board: board, row: row, moment: moment, columns: columns,
            isDetail: true)
        let share = size.rows >= 30 ? 15 : size.rows >= 16 ? 10 : size.rows >= 12 ? 6 : min(2, size.rows)
        var lines = view.lines(share) + about(board.names[symbol], columns) + session(of: row, now, columns)
        let readings = LatestReadings(wording: wording, glyphs: glyphs, now: now)
        let room = size.rows - lines.count - 1
        if room > 0 {
            lines += [.empty] + readings.lines(row.latest.suffix(room).reversed(), columns: columns)
        }
        return lines.prefix(size.rows).map { fitting($0, columns) }
    }

    private func about(_ entry: SymbolNames.Entry?, _ columns: Int) -> [StyledLine] {
        guard let entry else { return [] }
        let words = glyphs.shown(entry.description).split(separator: " ").map(String.init)
        let name = glyphs.shown(entry.name).shortened(to: columns, glyphs.ellipsis)
        return [.empty, StyledLine(name, .price)]
            + words.wrapped(to: columns).prefix(3).map { StyledLine($0) }
    }

    private func session(of row: BoardRow, _ now: Timestamp, _ columns: Int) -> [StyledLine] {
        guard let high = row.session.high.map(wording.money.text),
            let low = row.session.low.map(wording.money.text)
        else {
            return []
        }
        let prices = Sparkline.thinned(row.session.all.last(.max, until: now.milliseconds), to: columns)
        let line = [
            "session: high \(high), low \(low)", "high \(high), low \(low)", "high \(high)", glyphs.ellipsis,
        ].map { StyledLine($0) }.first(within: columns)
        return [.empty, line, StyledLine(Sparkline(glyphs: glyphs).text(prices))]
    }

    private func fitting(_ line: StyledLine, _ columns: Int) -> StyledLine {
        line.columns <= columns ? line : StyledLine(String(glyphs.ellipsis.prefix(columns)))
    }
}
