import PipeCommon

/// Lays out a board as a list with a row per symbol. Pure.
struct BoardView: ScreenLayout {
    let isInteractive = true
    private let wording: Wording
    private let palette: Palette
    private let glyphs: Glyphs
    private let header: BoardHeader
    private let footer: BoardFooter

    init(_ wording: Wording, _ palette: Palette, _ glyphs: Glyphs) {
        (self.wording, self.palette, self.glyphs) = (wording, palette, glyphs)
        header = BoardHeader(wording: wording, glyphs: glyphs)
        footer = BoardFooter(glyphs: glyphs)
    }

    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [String] {
        let frame = BoardFrame(rows: size.rows)
        let header = header.line(board, at: moment, columns: size.columns).text(palette)
        let footer = footer.line(board, columns: size.columns).text(palette)
        var lines = frame.hasHeader ? [header] : []
        if board.choice.isHelpShown {
            lines += BoardHelp(glyphs: glyphs).lines(columns: size.columns).prefix(frame.body)
        } else if board.choice.page == .details {
            let size = ScreenSize(columns: size.columns, rows: frame.body)
            let view = DetailsView(wording: wording, glyphs: glyphs)
            lines += view.lines(board, at: moment, size).map { $0.text(palette) }
        } else {
            lines += list(board, at: moment, frame, size.columns)
        }
        if frame.hasKeys { return lines + [footer] }
        // If the line of keys is left out, what a person has typed replaces the last row.
        let isAnswer = board.choice.find != nil || board.choice.notice != nil
        return isAnswer ? lines.prefix(size.rows - 1) + [footer] : lines
    }

    private func list(_ board: Board, at moment: Moment, _ frame: BoardFrame, _ width: Int) -> [String] {
        let texts = board.rows.map { BoardRowText($0, of: board, at: moment, wording, glyphs) }
        let columns = BoardColumns(texts, width: width, hasToday: board.hasCandles, palette, glyphs)
        let list = board.list
        let start = frame.start(of: list.count, showing: board.choice.place ?? 0)
        let end = min(list.count, start + frame.listed)
        let rule = String(repeating: glyphs.rule, count: width)
        var lines: [String] = []
        if frame.hasRules { lines.append(rule) }
        if frame.hasTitles { lines.append(columns.titles) }
        for place in list[start..<end] {
            let isSelected = board.rows[place].symbol == board.choice.selected
            lines.append(columns.line(texts[place], isSelected: isSelected))
        }
        if frame.hasRules {
            lines.append(list.count > frame.listed ? shortened(rule, start..<end, list.count) : rule)
        }
        return lines
    }

    /// The rule with the places of the rows that are shown: `───── 1-5 of 25 ─`.
    private func shortened(_ rule: String, _ places: Range<Int>, _ count: Int) -> String {
        let text = " \(places.lowerBound + 1)-\(places.upperBound) of \(count) \(glyphs.rule)"
        return text.count > rule.count ? rule : rule.dropLast(text.count) + text
    }

    func title(_ board: Board, at moment: Moment) -> String {
        "btc-price: \(board.freshCount(at: moment)) of \(board.rows.count) fresh"
    }
}
