import PipeCommon

/// Parses symbols and sources as users type them. Each error shows a form that works. Pure.
enum Typed {
    /// - Parameter isPair: whether the source prices pairs only, as exchanges do. Lowercase letters are then
    ///   accepted as capitals.
    static func symbol(_ text: String, isPair: Bool) throws(UsageError) -> Symbol {
        let pair = pair(text)
        if isPair, let pair, pair.text == text.uppercased() { return pair }
        if let symbol = Symbol(text), pair?.text == text || pair == nil && !isPair { return symbol }
        let example = (pair ?? likelyPair(text) ?? .bitcoin).text
        throw UsageError("invalid value '\(text)' for --symbol: expected a symbol such as \(example)")
    }

    /// The source that the operands name.
    ///
    /// - Parameters:
    ///   - known: the names to choose from.
    ///   - option: an option to include in the example.
    static func source(
        _ operands: [String], among known: [String], option: String = ""
    ) throws(UsageError) -> String {
        let name = operands.lazy.map { $0.lowercased() }.first(where: known.contains) ?? known[0]
        let others = operands.filter { !known.contains($0.lowercased()) }
        let symbol = others.lazy.compactMap { pair($0) ?? likelyPair($0) }.first ?? .bitcoin
        let example = "as in 'price-fetch \(option)--once --symbol \(symbol.text) \(name)'"
        let expected = "expected \(known.dropLast().joined(separator: ", ")) or \(known.last!), \(example)"
        guard let first = operands.first else { throw UsageError("missing SOURCE: \(expected)") }
        guard known.contains(first) else { throw UsageError("unknown source '\(first)': \(expected)") }
        if operands.count > 1 {
            throw UsageError("unexpected argument '\(operands[1])': expected one source, \(example)")
        }
        return first
    }

    static func pushSource(_ name: String) throws(UsageError) -> (PriceSource, PushSource) {
        if let source = PriceSource.all.first(where: { $0.name == name }), let push = source.push {
            return (source, push)
        }
        let known = PriceSource.all.filter { $0.push != nil }.map(\.name).joined(separator: ", ")
        throw UsageError("\(name) has no push feed; these sources have one: \(known)")
    }

    /// The pair that is probably meant: BTC-USD for `btc/usd`.
    private static func pair(_ text: String) -> Symbol? {
        let symbol = Symbol(String(text.uppercased().map { "/_:".contains($0) ? "-" : $0 }))
        return symbol.flatMap { (try? TradingPair($0)) == nil ? nil : $0 }
    }

    /// The pair that is probably meant by a coin alone or by a pair without a separator: ETH-USD for `eth`
    /// and `ETHUSD`.
    private static func likelyPair(_ text: String) -> Symbol? {
        let word = String(text.uppercased().drop { $0 == "$" })
        guard
            word.utf8.allSatisfy({ UInt8.isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            )
        else {
            return nil
        }
        for currency in ["USDT", "USDC", "USD", "EUR", "GBP"] {
            if word == currency { return Symbol("BTC-\(currency)") }
            if word.hasSuffix(currency), word.count - currency.count >= 2 {
                return Symbol("\(word.dropLast(currency.count))-\(currency)")
            }
        }
        return (2...5).contains(word.count) ? Symbol("\(word)-USD") : nil
    }
}
