/// The page that explains the keys of a board. Pure.
struct BoardHelp {
    let glyphs: Glyphs

    func lines(columns: Int) -> [String] {
        let keys = [
            (glyphs.arrowKeys, "or j k: next or previous symbol"), ("PgUp PgDn", "a page up or down"),
            ("g G", "or Home End: first or last symbol"), (glyphs.enterKey, "details of the symbol"),
            ("Esc", "back; in the list: select nothing"),
            ("s", "sort by price, name, change, or as given"), ("r", "reverse the order"),
            ("/", "find a symbol or a name"), ("space", "or p: stop or start the clock"),
            ("Ctrl-L", "draw everything again"), ("?", "these keys"), ("q", "quit"),
        ]
        return keys.map { key, text in
            let line = key + String(repeating: " ", count: 11 - key.columns) + text
            return line.columns <= columns ? line : line.shortened(to: columns, glyphs.ellipsis)
        }
    }
}
