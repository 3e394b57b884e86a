import PipeCommon

/// Symbols as people type them. The error shows a form that works. Pure.
enum Typed {
    /// - Parameter isPair: whether the source prices pairs only, as exchanges do.
    static func symbol(_ text: String, isPair: Bool) throws(UsageError) -> Symbol {
        let pair = pair(text)
        if let symbol = Symbol(text), pair?.text == text || pair == nil && !isPair { return symbol }
        let example = (pair ?? .bitcoin).text
        throw UsageError("invalid value '\(text)' for --symbol: expected a symbol such as \(example)")
    }

    /// The pair that is probably meant: BTC-USD for `btc/usd`.
    private static func pair(_ text: String) -> Symbol? {
        let symbol = Symbol(String(text.uppercased().map { "/_:".contains($0) ? "-" : $0 }))
        return symbol.flatMap { (try? TradingPair($0)) == nil ? nil : $0 }
    }
}
