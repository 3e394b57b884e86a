import PipeCommon

/// Determines which parts of a board, apart from its totals, fit on the screen. If a screen has few rows, parts are
/// left out to make room for symbols: first the horizontal rules, then the titles, the keys and the header. Pure.
struct BoardFrame {
    let hasHeader: Bool
    let hasRules: Bool
    let hasTitles: Bool
    let hasKeys: Bool
    /// How many lines there are between the header and the keys.
    let body: Int
    /// How many symbols can be listed.
    let listed: Int

    /// - Parameter totals: the number of rows with totals below the list.
    init(_ size: ScreenSize, totals: Int) {
        (hasHeader, hasKeys, hasTitles, hasRules) = (
            size.rows >= 2, Self.hasKeys(size), size.rows >= 6, size.rows >= 8 + totals
        )
        body = size.rows - [hasHeader, hasKeys].count { $0 }
        listed = body - [hasTitles, hasRules, hasRules].count { $0 } - totals
    }

    /// Whether a screen of this size has a last line for the keys.
    static func hasKeys(_ size: ScreenSize) -> Bool { size.rows >= 4 }

    /// The range of list positions to show, with a given position in the middle if possible.
    func places(of count: Int, around place: Int) -> Range<Int> {
        let start = max(0, min(place - listed / 2, count - listed))
        return start..<min(count, start + listed)
    }
}

/// Lays out a board: the list with a row per symbol, the details of one symbol, or the help page.
struct BoardView {
    private let wording: Wording
    private let palette: Palette
    private let glyphs: Glyphs
    private let times: ChartTimes
    /// The terminal width when the list was last drawn, and the columns that were laid out for this width.
    private var columns: (width: Int, columns: BoardColumns)?

    init(_ wording: Wording, _ palette: Palette, _ glyphs: Glyphs, _ times: ChartTimes) {
        (self.wording, self.palette, self.glyphs, self.times) = (wording, palette, glyphs, times)
    }

    /// Whether the list showed the day's lowest prices when it was last drawn.
    var hasDays: Bool { columns?.columns.hasDays ?? false }

    /// A frame with at most as many lines as the screen has rows; no line is wider than the screen.
    mutating func frame(of board: Board, at moment: Moment, _ size: ScreenSize) -> Frame {
        let lines = lines(board, at: moment, size).map { $0.text(palette) }
        return Frame(lines: lines, title: title(board, at: moment), size: size)
    }

    /// The totals to show below the list on a screen with `rows` rows, of which they take at most a quarter. There are
    /// none on the details page or if the screen has fewer than eight rows. The totals are also returned while the help
    /// page hides them.
    static func totals(of board: Board, at moment: Moment, rows: Int) -> [HoldingsTotal] {
        if rows < 8 || board.choice.page == .details { return [] }
        return Array(board.totals(at: moment).prefix(rows / 4))
    }

    private mutating func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [Styled] {
        let totals = Self.totals(of: board, at: moment, rows: size.rows)
        let frame = BoardFrame(size, totals: totals.count)
        var lines: [Styled] = []
        if frame.hasHeader {
            lines.append(
                BoardHeader(wording: wording, glyphs: glyphs).line(board, at: moment, columns: size.columns))
        }
        let footer = BoardFooter(glyphs: glyphs)
        if board.choice.isHelpShown {
            lines += footer.help(columns: size.columns).prefix(frame.body)
        } else if board.choice.page == .details {
            let view = DetailsView(wording: wording, glyphs: glyphs, times: times)
            lines += view.lines(board, at: moment, ScreenSize(columns: size.columns, rows: frame.body))
        } else {
            lines += list(board, totals, at: moment, frame, size.columns)
        }
        if frame.hasKeys { return lines + [footer.line(board, columns: size.columns)] }
        // If the keys are not shown, the search text or a notice becomes the last line.
        let isAnswer = board.choice.find != nil || board.choice.notice != nil
        return isAnswer ? lines.prefix(size.rows - 1) + [footer.line(board, columns: size.columns)] : lines
    }

    private mutating func list(
        _ board: Board, _ totals: [HoldingsTotal], at moment: Moment, _ frame: BoardFrame, _ width: Int
    )
        -> [Styled]
    {
        let (list, selected) = (board.list, board.choice.selected)
        let places = frame.places(of: list.count, around: board.choice.place ?? 0)
        let texts = list[places].map { BoardRowText(board.rows[$0], of: board, at: moment, wording, glyphs) }
        var columns =
            columns.flatMap { $0.width == width ? $0.columns : nil } ?? BoardColumns(width: width, glyphs)
        columns.fit(texts, hasToday: board.hasCandles, hasMonths: board.hasMonths)
        func fittedTotals() -> [BoardRowText] {
            let sums = totals.map { BoardRowText($0, hasColumn: columns.hasValues, wording) }
            columns.fit(sums, hasToday: board.hasCandles, hasMonths: board.hasMonths)
            return sums
        }
        let hadValues = columns.hasValues
        var sums = fittedTotals()
        // If the totals leave no room for the VALUE column, they are shown in the PRICE column instead.
        if columns.hasValues != hadValues { sums = fittedTotals() }
        self.columns = (width, columns)
        let rule = Styled(String(repeating: glyphs.rule, count: width))
        // If not all rows fit, the rule below the list shows which rows are listed, provided that it is wide enough:
        // `───── 1-5 of 25 ─`.
        let text = " \(places.lowerBound + 1)-\(places.upperBound) of \(list.count) \(glyphs.rule)"
        let isShort = list.count > frame.listed && text.count <= width
        let last = isShort ? Styled(String(repeating: glyphs.rule, count: width - text.count) + text) : rule
        return (frame.hasRules ? [rule] : []) + (frame.hasTitles ? [columns.titleLine] : [])
            + zip(places, texts).map { columns.line($1, isSelected: board.rows[list[$0]].symbol == selected) }
            + (frame.hasRules ? [last] : []) + sums.map { columns.line($0, isSelected: false) }
    }

    /// The title of the terminal window: on the details page of a symbol with readings, the symbol and its price;
    /// otherwise, the number of current prices.
    private func title(_ board: Board, at moment: Moment) -> String {
        guard board.choice.page == .details, let row = board.choice.selected.flatMap(board.row) else {
            return "btc-price: \(board.currentCount(at: moment))"
        }
        let reading = row.reading
        let price = reading.quote.map { wording.money.text($0, keeping: row.decimals) } ?? "-"
        let mark = board.isStale(row, at: moment) ? " (stale)" : reading.isDisputed ? " (disputed)" : ""
        return printable("\(reading.pricedSymbol.text) \(price)\(mark)")
    }
}
