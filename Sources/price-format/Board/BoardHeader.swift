import PipeCommon

/// Lays out the first line of a board: how current its prices are, how often they arrive, how its rows are sorted or
/// which row is shown, and the time. Pure.
struct BoardHeader {
    let wording: Wording
    let glyphs: Glyphs

    func line(_ board: Board, at moment: Moment, columns: Int) -> Styled {
        let liveness = board.liveness(at: moment)
        var line = signs(of: liveness, board, at: moment).first(within: columns)
        let isSorted = board.choice.page == .list && board.rows.count > 1
        for text in [
            hint(liveness, board), count(liveness, board, at: moment), interval(of: board),
            isSorted ? order(of: board) : nil,
        ] {
            guard let piece = text.map({ Styled("   \($0)") }) else { continue }
            if line.columns + piece.columns > columns { break }
            line += piece
        }
        let clock = Styled(wording.clock.text(board.isLive ? moment.wall : board.now(moment)))
        let gap = columns - line.columns - clock.columns
        return gap < 2 ? line : line + .blanks(gap) + clock
    }

    /// The forms of the text that shows how current the prices are, longest first, from a mark with words to the mark
    /// alone.
    private func signs(of liveness: Liveness, _ board: Board, at moment: Moment) -> [Styled] {
        let madeUp = Styled("made up", .banner)
        func forms(_ sign: String, _ words: String, _ meaning: Palette.Meaning, more: String? = nil)
            -> [Styled]
        {
            let long = more.map { ["\(sign) \(words) \($0)"] } ?? []
            let forms = (long + ["\(sign) \(words)", words, sign]).map { Styled($0, meaning) }
            if !board.isMadeUp { return forms }
            let named = forms.map { $0 + ($0.columns == sign.columns ? " " : "  ") + madeUp }
            return named + [madeUp, Styled(sign, meaning)]
        }
        switch liveness {
        // Made-up prices are not called live, because they are not real.
        case .live where board.isMadeUp:
            return ["\(glyphs.live) made up", "made up", glyphs.live].map { Styled($0, .banner) }
        case .live: return forms(glyphs.live, "live", .up)
        case .partial: return forms(glyphs.partial, board.currentCount(at: moment), .banner)
        case .stopped:
            let since = board.stopped.map { wording.clock.text($0.wall) }
            return forms(glyphs.stopped, "stopped", .banner, more: since)
        case .silent:
            let ages = board.rows.lazy.compactMap { board.age(of: $0, at: moment) }
            let newest = ages.min { $0.seconds < $1.seconds }
            return forms(glyphs.silent, newest.map { "no answer for \($0.text)" } ?? "no answer yet", .down)
        case .recorded: return forms(glyphs.silent, "not live", .banner)
        }
    }

    /// The text of `--offline-hint` if the details page is not open, the liveness is `silent`, no row has received a
    /// price yet, and the latest reading of at least one row contains a network error; otherwise nil. On the details
    /// page, the hint comes after the reason for the missing price, if there is room.
    private func hint(_ liveness: Liveness, _ board: Board) -> String? {
        guard case .silent = liveness, board.choice.page == .list,
            board.rows.allSatisfy({ $0.quoted == nil }), board.rows.contains(where: \.reading.isOffline)
        else { return nil }
        return wording.shownHint
    }

    /// On the details page, the position of the shown symbol if it is listed. Otherwise, the number of current prices,
    /// or nil if the liveness is `partial` or `silent`, because the words for these states already imply that number.
    /// Also nil if there are fewer than two symbols to count.
    private func count(_ liveness: Liveness, _ board: Board, at moment: Moment) -> String? {
        if board.rows.count < 2 { return nil }
        if board.choice.page == .details, let symbol = board.choice.selected,
            let place = board.list.firstIndex(where: { board.rows[$0].symbol == symbol })
        {
            return board.list.count < 2 ? nil : "\(place + 1) of \(board.list.count)"
        }
        return switch liveness {
        case .live, .recorded, .stopped: board.currentCount(at: moment)
        case .partial, .silent: nil
        }
    }

    /// The interval between beats, such as `every 200 ms`, `every 1 s` or `every 5 min`; nil if it is not known.
    private func interval(of board: Board) -> String? {
        guard let milliseconds = board.beats.interval else { return nil }
        if milliseconds < 950 { return "every \(milliseconds) ms" }
        let seconds = (milliseconds + 500) / 1000
        return seconds % 60 == 0 ? "every \(seconds / 60) min" : "every \(seconds) s"
    }

    private func order(of board: Board) -> String {
        let (order, isReversed) = (board.choice.order, board.choice.isReversed)
        if order == .given { return isReversed ? "as given, reversed" : "as given" }
        let isAscending = isReversed != (order == .name)
        let name = order == .change ? board.hasCandles ? "change today" : "last change" : order.rawValue
        return "by \(name) \(isAscending ? glyphs.ascending : glyphs.descending)"
    }
}

/// Lays out the help page and the last line of a board. The help page explains the keys and the marks. The last line
/// shows the most important keys, the text of a search, or a notice. Pure.
struct BoardFooter {
    let glyphs: Glyphs

    func line(_ board: Board, columns: Int) -> Styled {
        if let find = board.choice.find {
            let notice = board.choice.notice.map { Styled("  \($0)", .banner) } ?? .empty
            return ["/\(find)" + notice, "/\(find)", "/"].first(within: columns)
        }
        if let notice = board.choice.notice {
            return Styled(notice, .banner).shortened(to: columns, glyphs.ellipsis)
        }
        let forms = keys(of: board).map { Styled($0.joined(separator: "  ")) }
        return (forms + [.empty]).first(within: columns)
    }

    private func keys(of board: Board) -> [[String]] {
        let clock = board.hasClock ? ["space \(board.isStopped ? "start" : "stop")"] : []
        let end = ["? keys", "q quit"]
        if board.choice.isHelpShown { return [["q quit", "any other key goes back"], ["q quit"]] }
        switch board.choice.page {
        case .details:
            let main = ["esc back", "\(glyphs.arrowKeys) next symbol"]
            let range =
                board.hasChart
                ? ["\(glyphs.rangeKeys) range", "c \(board.choice.isLine ? "candles" : "line")"] : []
            return [main + range + clock + end, main + end, ["esc back"] + end, ["esc back"]]
        case .list:
            let filter = board.choice.filter.map { ["/\($0)", "esc show all"] } ?? []
            let main = filter + ["\(glyphs.arrowKeys) select", "\(glyphs.enterKey) details"]
            return [main + ["s sort", "/ find"] + clock + end, main + end, end, ["? keys"]]
        }
    }

    func help(columns: Int) -> [Styled] {
        let keys: [(Styled, String)] = [
            (Styled(glyphs.arrowKeys), "or k j: previous or next symbol"), ("PgUp PgDn", "a page up or down"),
            ("g G", "or Home End: first or last symbol"), (Styled(glyphs.enterKey), "details of the symbol"),
            (
                Styled(glyphs.rangeKeys),
                "in the details: a shorter or longer range; c: candlesticks or a line"
            ),
            ("Esc", "back; in the list: show all, or deselect"),
            ("s", "sort by price, name or change, or as given"), ("r", "reverse the order"),
            ("/", "list only symbols that match the typed text; Esc shows all"),
            ("space", "or p: stop or start the clock"),
            ("Ctrl-L", "redraw the screen"), ("?", "show these keys"), ("q", "quit"), (.empty, ""),
            (Styled(glyphs.live, .up), "every symbol receives new prices"),
            (Styled(glyphs.partial, .banner), "not every symbol receives new prices"),
            (Styled(glyphs.silent, .down), "no price is current, or the prices come from a recording"),
            (Styled(glyphs.stopped, .banner), "the clock is stopped"),
            (Styled("!", .banner), "a price that is not current"),
            (Styled("?", .banner), "a price that another source contradicts"),
        ]
        return keys.map { key, text in
            (key.atStart(of: 11) + Styled(text)).shortened(to: columns, glyphs.ellipsis)
        }
    }
}
