/// The characters that the views draw with.
struct Glyphs {
    let block: Character
    let up: Character
    let down: Character
    let dash: Character
    /// Replaces a text that does not fit, or the end of such a text.
    let ellipsis: String
    // Marks that show how current the prices are.
    let live: String
    let partial: String
    let silent: String
    let stopped: String
    /// The mark before the selected row.
    let selection: String
    let rule: Character
    /// The marks of the two sort directions: highest first and lowest first.
    let descending: String
    let ascending: String
    /// The characters of a sparkline, from the lowest price to the highest, each one column wide.
    let sparkline: [Character]
    /// Marks a time without a price in a sparkline.
    let gap: Character
    /// The characters of the two axes of a chart and of the corner between them. In the axis to the left, `price` is
    /// used next to a label and `side` elsewhere. In the axis below the chart, `time` is used above a label and
    /// `bottom` elsewhere.
    let axis: (side: Character, price: Character, bottom: Character, time: Character, corner: Character)
    /// The number of parts into which a candlestick divides a row. Each part contains nothing (0), the thin line (1) or
    /// the body (2). These digits, from the lowest part to the highest, form a base-3 number: the index of the row's
    /// character in `rising` and `falling`.
    let candleParts: Int
    let rising: [Unicode.Scalar]
    let falling: [Unicode.Scalar]
    /// Whether the dots of a chart are drawn as Braille patterns; otherwise they are drawn as asterisks.
    let usesBraille: Bool
    let arrowKeys: String
    let rangeKeys: String
    let enterKey: String

    /// Text from outside the program, in the form in which it is shown. On a terminal that does not use UTF-8, a
    /// question mark replaces each character that is not ASCII.
    func shown(_ text: String) -> String {
        guard ellipsis.utf8.count == ellipsis.count else { return text }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    func arrow(_ change: PriceChange) -> Character { change.isUp ? up : down }

    /// Draws prices over time in one line: the higher the price, the higher its character. If all prices are equal,
    /// they are drawn at half height.
    ///
    /// - Parameters:
    ///   - prices: the prices in the order of their times; nil for a time without a price.
    ///   - columns: the maximum width. If there are more prices than columns, prices at about equal distances are
    ///     drawn, including the last price.
    func sparkline(of prices: [Int128?], columns: Int = .max) -> String {
        let count = min(prices.count, columns)
        let prices = (0..<count).map { prices[($0 + 1) * prices.count / count - 1] }
        let known = prices.compactMap { $0 }
        let (low, high, top) = (known.min(), known.max(), Int128(sparkline.count - 1))
        return String(
            prices.map { price in
                guard let price, let low, let high else { return gap }
                return sparkline[Int(low == high ? top / 2 : (price - low) * top / (high - low))]
            })
    }

    static let unicode = Glyphs(
        block: "█", up: "▲", down: "▼", dash: "·", ellipsis: "…", live: "●", partial: "◐", silent: "○",
        stopped: "‖", selection: "▸", rule: "─", descending: "▾", ascending: "▴",
        sparkline: Array("▁▂▃▄▅▆▇█"), gap: "·", axis: ("│", "┤", "─", "┬", "└"), candleParts: 2,
        rising: Array(" ╵╹╷│╿╻╽┃".unicodeScalars), falling: Array(" ╵▀╷│╀▄╁█".unicodeScalars),
        usesBraille: true,
        arrowKeys: "↑↓", rangeKeys: "←→", enterKey: "⏎")
    /// The characters for a terminal that does not use UTF-8.
    static let ascii = Glyphs(
        block: "#", up: "^", down: "v", dash: "-", ellipsis: "...", live: "*", partial: "+", silent: "-",
        stopped: "=", selection: ">", rule: "-", descending: "v", ascending: "^", sparkline: Array("_.-=^"),
        gap: " ", axis: ("|", "+", "-", "+", "+"), candleParts: 1, rising: Array(" |0".unicodeScalars),
        falling: Array(" |#".unicodeScalars), usesBraille: false,
        arrowKeys: "up/down", rangeKeys: "left/right", enterKey: "enter")
}
