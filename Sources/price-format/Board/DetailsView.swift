import PipeCommon

/// Lays out the details of one symbol: its price in large digits, a chart, its name and description, and the latest readings
/// as far as there is room. Pure.
struct DetailsView {
    let wording: Wording
    let glyphs: Glyphs
    let times: ChartTimes

    /// At most as many lines as the size has rows, none wider than its columns.
    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [Styled] {
        guard let symbol = board.choice.selected else { return [] }
        let columns = size.columns
        guard let row = board.row(of: symbol) else {
            let words = ["no", "reading", "of", symbol.text, "yet"].wrapped(to: columns)
            return words.prefix(size.rows).map { fitting(Styled($0), columns) }
        }
        let now = board.now(moment)
        let view = SymbolView(
            wording: wording, glyphs: glyphs, board: board, row: row, moment: moment, columns: columns)
        let hasChart = size.rows >= 14 && board.hasChart
        // The rows for the price: enough for large digits, or else at most two.
        let share = size.rows < 9 ? min(2, size.rows) : max(10, size.rows / (hasChart ? 3 : 2))
        var lines = view.lines(share)
        if let words = wording.agreement(of: row.reading) {
            lines += glyphs.shown(words).split(separator: " ").map(String.init).wrapped(to: columns).map {
                Styled($0)
            }
        }
        if hasChart {
            lines += chart(of: row, board, now, columns, rows: max(9, (size.rows - lines.count) * 2 / 3))
        }
        lines += about(board.names[symbol], columns) + (hasChart ? [] : session(of: row, now, columns))
        let room = size.rows - lines.count - 1
        if room > 0 { lines += [.empty] + latest(row.latest, row.decimals, columns: columns, rows: room) }
        return lines.prefix(size.rows).map { fitting($0, columns) }
    }

    /// A heading and the chart. Their rows stay reserved while candles are missing.
    private func chart(of row: BoardRow, _ board: Board, _ now: Timestamp, _ columns: Int, rows: Int)
        -> [Styled]
    {
        let candles = board.candles[row.symbol] ?? CandlePrices()
        let chart = Chart(board.choice.range, candles, live: row.quoted?.quote, at: now)
        let view = ChartView(wording: wording, glyphs: glyphs, times: times, columns: columns, rows: rows - 2)
        let mark = view.mark(row.quoted?.quote, isStale: !row.isFresh)
        var lines = [.empty, view.heading(chart).first(within: columns)] + view.lines(chart, mark: mark)
        while lines.count < rows { lines.append(.empty) }
        return lines
    }

    private func about(_ entry: SymbolNames.Entry?, _ columns: Int) -> [Styled] {
        guard let entry else { return [] }
        let words = glyphs.shown(entry.description).split(separator: " ").map(String.init)
        let name = glyphs.shown(entry.name).shortened(to: columns, glyphs.ellipsis)
        return [.empty, Styled(name, .price)]
            + words.wrapped(to: columns).prefix(3).map { Styled($0) }
    }

    private func session(of row: BoardRow, _ now: Timestamp, _ columns: Int) -> [Styled] {
        guard let high = row.session.high.map({ wording.money.text($0, keeping: row.decimals) }),
            let low = row.session.low.map({ wording.money.text($0, keeping: row.decimals) })
        else {
            return []
        }
        let prices = row.session.all.last(.max, until: now.milliseconds)
        let line = [
            "session: high \(high), low \(low)", "high \(high), low \(low)", "high \(high)", glyphs.ellipsis,
        ].map { Styled($0) }.first(within: columns)
        return [.empty, line, Styled(glyphs.sparkline(of: prices, columns: columns))]
    }

    private func fitting(_ line: Styled, _ columns: Int) -> Styled {
        line.columns <= columns ? line : Styled(String(glyphs.ellipsis.prefix(columns)))
    }
}
