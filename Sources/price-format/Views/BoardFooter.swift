/// The last line of a board: the keys that matter most, what is being looked for, or a notice. Pure.
struct BoardFooter {
    let glyphs: Glyphs

    func line(_ board: Board, columns: Int) -> StyledLine {
        if let find = board.choice.find {
            let notice = board.choice.notice.map { StyledLine("  \($0)", .banner) } ?? .empty
            return [StyledLine("/\(find)") + notice, StyledLine("/\(find)"), StyledLine("/")]
                .first(within: columns)
        }
        if let notice = board.choice.notice {
            return StyledLine(notice.shortened(to: columns, glyphs.ellipsis), .banner)
        }
        let forms = keys(of: board).map { StyledLine($0.joined(separator: "  ")) }
        return (forms + [.empty]).first(within: columns)
    }

    private func keys(of board: Board) -> [[String]] {
        let clock = board.hasClock ? ["space \(board.isStopped ? "start" : "stop")"] : []
        let end = ["? keys", "q quit"]
        if board.choice.isHelpShown { return [["any other key goes back", "q quit"], ["q quit"]] }
        switch board.choice.page {
        case .details:
            let next = "\(glyphs.arrowKeys) next symbol"
            return [["esc back", next] + clock + end, ["esc back"] + end, ["esc back"]]
        case .list:
            let main = ["\(glyphs.arrowKeys) select", "\(glyphs.enterKey) details"]
            return [main + ["s sort", "/ find"] + clock + end, main + end, end, ["? keys"]]
        }
    }
}
