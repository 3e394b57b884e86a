import PipeCommon

/// Symbols and sources as people type them. Each error shows a form that works. Pure.
enum Typed {
    /// - Parameter isPair: whether the source prices pairs only, as exchanges do.
    static func symbol(_ text: String, isPair: Bool) throws(UsageError) -> Symbol {
        let pair = pair(text)
        if let symbol = Symbol(text), pair?.text == text || pair == nil && !isPair { return symbol }
        let example = (pair ?? .bitcoin).text
        throw UsageError("invalid value '\(text)' for --symbol: expected a symbol such as \(example)")
    }

    /// The one source that the operands name.
    static func source(_ operands: [String]) throws(UsageError) -> PriceSource {
        let known = PriceSource.all.map(\.name)
        let name = operands.first { known.contains($0) } ?? known[0]
        let symbol = operands.lazy.compactMap(pair).first ?? .bitcoin
        let example = "as in 'price-fetch --once --symbol \(symbol.text) \(name)'"
        let expected = "expected \(known.dropLast().joined(separator: ", ")) or \(known.last!), \(example)"
        guard let first = operands.first else { throw UsageError("missing SOURCE: \(expected)") }
        guard let source = PriceSource.all.first(where: { $0.name == first }) else {
            throw UsageError("unknown source '\(first)': \(expected)")
        }
        if operands.count > 1 {
            throw UsageError("unexpected argument '\(operands[1])': expected one source, \(example)")
        }
        return source
    }

    /// The pair that is probably meant: BTC-USD for `btc/usd`.
    private static func pair(_ text: String) -> Symbol? {
        let symbol = Symbol(String(text.uppercased().map { "/_:".contains($0) ? "-" : $0 }))
        return symbol.flatMap { (try? TradingPair($0)) == nil ? nil : $0 }
    }
}
