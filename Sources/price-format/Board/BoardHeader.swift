import PipeCommon

/// The first line of a board: how current its prices are, how often they arrive, and what they are sorted by. Pure.
struct BoardHeader {
    let wording: Wording
    let glyphs: Glyphs

    func line(_ board: Board, at moment: Moment, columns: Int) -> Styled {
        let liveness = board.liveness(at: moment)
        var line = signs(of: liveness, board, at: moment).first(within: columns)
        if line.columns > columns { return .empty }
        for text in [count(liveness, board, at: moment), interval(of: board), order(of: board)] {
            guard let piece = text.map({ Styled("   \($0)") }) else { continue }
            if line.columns + piece.columns > columns { break }
            line += piece
        }
        let clock = Styled(wording.clock.text(board.isLive ? moment.wall : board.now(moment)))
        let gap = columns - line.columns - clock.columns
        return gap < 2 ? line : line + .blanks(gap) + clock
    }

    /// The sign and its words, the longest form first.
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
        case .live: return forms(glyphs.live, "live", .up)
        case .partial(let count):
            return forms(glyphs.partial, "\(count) of \(board.rows.count) fresh", .banner)
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

    private func count(_ liveness: Liveness, _ board: Board, at moment: Moment) -> String? {
        switch liveness {
        case .live, .recorded, .stopped: "\(board.freshCount(at: moment)) of \(board.rows.count) fresh"
        case .partial, .silent: nil
        }
    }

    /// `every 200 ms`, `every 1 s`, `every 5 min`.
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
        let name = order == .change ? board.hasCandles ? "today" : "last move" : order.rawValue
        return "by \(name) \(isAscending ? glyphs.ascending : glyphs.descending)"
    }
}
