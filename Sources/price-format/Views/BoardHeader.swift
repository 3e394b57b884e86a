import PipeCommon

/// The lines around the rows of a board: how current its prices are, what they are sorted by, and the keys. Pure.
struct BoardHeader {
    let wording: Wording
    let glyphs: Glyphs

    func line(_ board: Board, at wall: Timestamp, columns: Int) -> StyledLine {
        let connection = board.connection(at: wall)
        var line = signs(of: connection, board, at: wall).first(within: columns)
        if line.columns > columns { return .empty }
        for text in [count(connection, board, at: wall), interval(of: board), order(of: board)] {
            guard let piece = text.map({ StyledLine("   \($0)") }) else { continue }
            if line.columns + piece.columns > columns { break }
            line = line + piece
        }
        let clock = StyledLine(wording.clock.text(board.now(wall)))
        let gap = columns - line.columns - clock.columns
        return gap < 2 ? line : line + StyledLine(String(repeating: " ", count: gap)) + clock
    }

    /// The sign and its words, the longest form first.
    private func signs(of connection: Connection, _ board: Board, at wall: Timestamp) -> [StyledLine] {
        let signs = glyphs.connection
        func forms(_ sign: String, _ words: String, _ meaning: Palette.Meaning) -> [StyledLine] {
            ["\(sign) \(words)", words, sign].map { StyledLine($0, meaning) }
        }
        switch connection {
        case .live: return forms(signs.live, "live", .up)
        case .partial(let count):
            return forms(signs.partial, "\(count) of \(board.rows.count) fresh", .banner)
        case .stopped: return forms(signs.stopped, "stopped", .banner)
        case .silent:
            let newest = board.rows.compactMap(\.quoted?.quote).max { $0.timestamp < $1.timestamp }
            let age = newest.map { "no answer for \(Age(of: $0, at: board.now(wall)).text)" }
            return forms(signs.silent, age ?? "no answer yet", .down)
        }
    }

    private func count(_ connection: Connection, _ board: Board, at wall: Timestamp) -> String? {
        switch connection {
        case .live, .stopped: "\(board.freshCount(at: wall)) of \(board.rows.count) fresh"
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
        return "by \(order.rawValue) \(isAscending ? glyphs.ascending : glyphs.descending)"
    }
}
