import PipeCommon

/// One file holds what one subject is about: the last quote of a symbol, or its candles of one length.
extension Subject {
    private static let ending = ".json"

    /// - Returns: nil for a file that has another name than those that are stored.
    init?(file: String) {
        guard file.hasSuffix(Self.ending) else { return nil }
        let stem = file.dropLast(Self.ending.count)
        let candle = Candle.allCases.first { stem.hasSuffix(".\($0.rawValue)") }
        let text = candle.map { stem.dropLast($0.rawValue.count + 1) } ?? stem
        guard let symbol = Symbol(String(text)) else { return nil }
        self.init(symbol, candle)
    }

    /// `BTC-USD.json` or `BTC-USD.1d.json`.
    var file: String { Self.path("\(symbol.text)\(Self.ending)", candle) }

    /// The place of candles beside the quote that is stored at a path: `quote.1d.json` beside `quote.json`.
    static func path(_ path: String, _ candle: Candle?) -> String {
        guard let candle else { return path }
        guard path.hasSuffix(ending) else { return "\(path).\(candle.rawValue)" }
        return "\(path.dropLast(ending.count)).\(candle.rawValue)\(ending)"
    }

    /// The words for a message: "quote for BTC-USD" or "1d candles of BTC-USD".
    var words: String {
        candle.map { "\($0.rawValue) candles of \(symbol.text)" } ?? "quote for \(symbol.text)"
    }
}
