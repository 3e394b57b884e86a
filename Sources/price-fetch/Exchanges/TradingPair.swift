import PipeCommon

/// What an exchange is asked for: how much `currency` for one `base`.
struct TradingPair: Hashable, Sendable {
    let base: String
    let currency: Currency

    /// - Throws: when the symbol does not have the form `BTC-USD`.
    init(_ symbol: Symbol) throws(InvalidInput) {
        let parts = symbol.text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, let currency = Currency(parts[1]),
            !symbol.text.contains(".")
        else {
            throw InvalidInput("\(symbol.text) is not a pair such as BTC-USD")
        }
        base = parts[0]
        self.currency = currency
    }
}

extension Symbol {
    /// The currency of its price: US dollars if it names none.
    var currency: Currency { (try? TradingPair(self))?.currency ?? .usDollar }
}
