/// The last line of a board: the most important keys, the text of a search, or a notice; and the page that explains
/// the keys. Pure.
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
        if board.choice.isHelpShown { return [["any other key goes back", "q quit"], ["q quit"]] }
        switch board.choice.page {
        case .details:
            let main = ["esc back", "\(glyphs.arrowKeys) next symbol"]
            let range = board.hasChart ? ["\(glyphs.rangeKeys) range"] : []
            return [main + range + clock + end, main + end, ["esc back"] + end, ["esc back"]]
        case .list:
            let main = ["\(glyphs.arrowKeys) select", "\(glyphs.enterKey) details"]
            return [main + ["s sort", "/ find"] + clock + end, main + end, end, ["? keys"]]
        }
    }

    func help(columns: Int) -> [Styled] {
        let keys: [(Styled, String)] = [
            (Styled(glyphs.arrowKeys), "or j k: next or previous symbol"), ("PgUp PgDn", "a page up or down"),
            ("g G", "or Home End: first or last symbol"), (Styled(glyphs.enterKey), "details of the symbol"),
            (Styled(glyphs.rangeKeys), "in the details: a shorter or longer chart"),
            ("Esc", "back; in the list: select nothing"),
            ("s", "sort by price, name, change, or as given"), ("r", "reverse the order"),
            ("/", "find a symbol or a name"), ("space", "or p: stop or start the clock"),
            ("Ctrl-L", "draw everything again"), ("?", "these keys"), ("q", "quit"), (.empty, ""),
            (Styled(glyphs.live, .up), "every symbol has a new price"),
            (Styled(glyphs.partial, .banner), "some have none"),
            (Styled(glyphs.silent, .down), "none has one, or the prices are a recording"),
            (Styled(glyphs.stopped, .banner), "the clock is stopped"),
            (Styled("!", .banner), "not a new price"),
            (Styled("?", .banner), "a price that another source contradicts"),
        ]
        return keys.map { key, text in
            (key.atStart(of: 11) + Styled(text)).shortened(to: columns, glyphs.ellipsis)
        }
    }
}
