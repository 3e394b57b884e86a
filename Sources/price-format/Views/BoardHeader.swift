import PipeCommon

/// The lines around the rows of a board: how current its prices are, what they are sorted by, and the keys. Pure.
struct BoardHeader {
    let wording: Wording
    let glyphs: Glyphs

    func line(_ board: Board, at wall: Timestamp, columns: Int) -> StyledLine {
        let signs = connection(board, at: wall)
        let order = board.choice.order
        let direction = board.choice.isReversed != (order == .name) ? glyphs.ascending : glyphs.descending
        let more = [
            count(board, at: wall), board.beats.interval.map { "every \(Self.interval($0))" },
            order == .given
                ? "as given\(board.choice.isReversed ? ", reversed" : "")" : "by \(order) \(direction)",
        ].compactMap { $0 }
        let left = (0...more.count).reversed().map { count in
            more.prefix(count).reduce(signs[0]) { $0 + StyledLine("   \($1)") }
        }
        let clock = StyledLine(wording.clock.text(board.now(wall)))
        let line = (left + signs.dropFirst()).first(within: columns)
        let gap = columns - line.columns - clock.columns
        if line.columns > columns { return .empty }
        return gap < 2 ? line : line + StyledLine(String(repeating: " ", count: gap)) + clock
    }

    /// The sign and its words, the longest form first.
    private func connection(_ board: Board, at wall: Timestamp) -> [StyledLine] {
        let signs = glyphs.connection
        func forms(_ sign: String, _ words: String, _ meaning: Palette.Meaning) -> [StyledLine] {
            ["\(sign) \(words)", words, sign].map { StyledLine($0, meaning) }
        }
        switch board.connection(at: wall) {
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

    private func count(_ board: Board, at wall: Timestamp) -> String? {
        switch board.connection(at: wall) {
        case .live, .stopped: "\(board.freshCount(at: wall)) of \(board.rows.count) fresh"
        case .partial, .silent: nil
        }
    }

    /// `200 ms`, `1 s`, `5 min`.
    private static func interval(_ milliseconds: Int) -> String {
        if milliseconds < 950 { return "\(milliseconds) ms" }
        let seconds = (milliseconds + 500) / 1000
        return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }
}
