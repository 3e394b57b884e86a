import PipeCommon

/// One file holds what one subject is about: the last quote of a symbol, or its candles of one length.
extension Subject {
    private static let ending = ".json"
    /// No symbol has it, so the quote of `BTC-USD.1d` and the candles of `BTC-USD` have different files.
    private static let separator: Character = "~"

    /// - Returns: nil for a file that has another name than those that are stored.
    init?(file: String) {
        guard file.hasSuffix(Self.ending) else { return nil }
        let parts = file.dropLast(Self.ending.count).split(
            separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let symbol = Symbol(String(parts[0])) else { return nil }
        let candle = parts.count > 1 ? Candle(rawValue: String(parts[1])) : nil
        guard parts.count == 1 || candle != nil else { return nil }
        self.init(symbol, candle)
    }

    /// `BTC-USD.json` or `BTC-USD~1d.json`.
    var file: String { Self.path("\(symbol.text)\(Self.ending)", candle) }

    /// The place of candles beside the quote that is stored at a path: `quote~1d.json` beside `quote.json`.
    static func path(_ path: String, _ candle: Candle?, separator: Character = separator) -> String {
        guard let candle else { return path }
        guard path.hasSuffix(ending) else { return "\(path)\(separator)\(candle.rawValue)" }
        return "\(path.dropLast(ending.count))\(separator)\(candle.rawValue)\(ending)"
    }

    /// The words for a message: "quote for BTC-USD" or "1d candles of BTC-USD".
    var words: String {
        candle.map { "\($0.rawValue) candles of \(symbol.text)" } ?? "quote for \(symbol.text)"
    }
}
