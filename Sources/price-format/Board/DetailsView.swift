import PipeCommon

/// Lays out the details of one symbol. If there is a chart, the parts get room in this order: the price with its
/// status, the chart, the prices of the sources, the symbol's name and description, the latest reading, large digits,
/// a larger chart, and earlier readings. The aim is that a larger window shows everything that a smaller window shows.
/// Pure.
struct DetailsView {
    /// The number of rows of the smallest chart, including its heading and its axis.
    private static let leastChart = 5
    /// A chart gets up to this many rows before anything other than the price gets any.
    private static let usualChart = 18
    /// The number of rows that large digits, with blank lines around them, need in addition to the row of normal
    /// digits.
    private static let digits = 7

    let wording: Wording
    let glyphs: Glyphs
    let times: ChartTimes

    /// Returns at most `size.rows` lines; no line is wider than `size.columns`.
    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [Styled] {
        guard let symbol = board.choice.selected else { return [] }
        let columns = size.columns
        guard let row = board.row(of: symbol) else {
            let words = ["no", "reading", "for", symbol.text, "yet"].wrapped(to: columns)
            return words.prefix(size.rows).map { Styled($0).whole(within: columns, glyphs.ellipsis) }
        }
        let now = board.now(moment)
        let view = SymbolView(
            wording: wording, glyphs: glyphs, board: board, row: row, moment: moment, columns: columns)
        guard board.hasChart else {
            let height = size.rows < 9 ? 2 : max(10, size.rows / 2)
            return fill(
                view.lines(min(height, size.rows)),
                [compared(row, columns)] + about(board.names[symbol], columns)
                    + [session(of: row, now, columns)], row, size)
        }
        // Rows are assigned in this order: the price with its status, the chart, everything else.
        let share = max(2, min(4, size.rows - Self.usualChart - 1))
        let price = view.lines(min(size.rows, share))
        let room = size.rows - price.count
        let blocks = [compared(row, columns)] + about(board.names[symbol], columns)
        guard room >= Self.leastChart else {
            let words =
                room > 0 ? [Styled("no room for a chart").shortened(to: columns, glyphs.ellipsis)] : []
            return (price + words).map { $0.whole(within: columns, glyphs.ellipsis) }
        }
        var rows = min(room, Self.usualChart)
        // If the price takes fewer rows than its share, the remaining rows stay free, so that other parts do not appear
        // or disappear whenever the price takes more or fewer rows.
        let free = share - price.count
        var left = room - free - rows
        let shown = blocks.prefix { block in
            left -= block.count
            return left >= 0
        }
        var top = price
        // The latest reading and a blank line take precedence over large digits, and large digits over a larger chart.
        left -= 2
        if left >= Self.digits, shown.count == blocks.count {
            top = view.lines(price.count + Self.digits)
            left -= Self.digits
            rows += max(0, min(left, size.rows * 2 / 3 - rows))
        }
        return fill(
            top + chart(of: row, board, moment, columns, rows: rows), Array(shown), row, size, free: free)
    }

    /// Adds each block of lines that fits as a whole, and then the latest readings.
    private func fill(
        _ top: [Styled], _ blocks: [[Styled]], _ row: BoardRow, _ size: ScreenSize, free: Int = 0
    ) -> [Styled] {
        var lines = top
        for block in blocks where lines.count + block.count <= size.rows { lines += block }
        let room = size.rows - lines.count - free - 1
        if room > 0 {
            lines += [.empty] + latest(row.latest, row.decimals, columns: size.columns, rows: room)
        }
        return lines.prefix(size.rows).map { $0.whole(within: size.columns, glyphs.ellipsis) }
    }

    /// The compared prices, if there are at least two; none if the price is disputed or not new. Below them is the
    /// market of the price, if the market's name is known and does not match the symbol.
    private func compared(_ row: BoardRow, _ columns: Int) -> [Styled] {
        [wording.agreement(of: row.reading), wording.market(of: row.reading)].compactMap { $0 }
            .flatMap { Styled($0).wrapped(to: columns) }
    }

    /// A heading and the chart. They take `rows` rows even before candles arrive.
    private func chart(of row: BoardRow, _ board: Board, _ moment: Moment, _ columns: Int, rows: Int)
        -> [Styled]
    {
        let candles = board.candles[row.symbol] ?? CandlePrices()
        let chart = Chart(board.choice.range, candles, live: row.quoted?.quote, at: board.now(moment))
        let view = ChartView(
            wording: wording, glyphs: glyphs, times: times, columns: columns, rows: rows - 1,
            isLine: board.choice.isLine)
        let isDisputed = row.reading.isDisputed && chart.last == row.reading.quote
        let mark = view.mark(chart.last, isStale: board.isStale(row, at: moment), isDisputed: isDisputed)
        var lines = [view.heading(chart).first(within: columns)] + view.lines(chart, mark: mark)
        while lines.count < rows { lines.append(.empty) }
        return lines
    }

    /// The symbol's name and its description, as separate blocks, because each is shown either as a whole or not at
    /// all.
    private func about(_ entry: SymbolNames.Entry?, _ columns: Int) -> [[Styled]] {
        guard let entry else { return [] }
        let blocks = [Styled(glyphs.shown(entry.name), .price), Styled(glyphs.shown(entry.description))]
            .map { $0.wrapped(to: columns) }.filter { !$0.isEmpty }
        return blocks.enumerated().map { $0 == 0 ? [.empty] + $1 : $1 }
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
}
