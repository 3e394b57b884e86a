import PipeCommon

/// What an exchange is asked for: how many `currency` for one `base`.
struct Pair: Hashable, Sendable {
    let base: String
    let currency: Currency

    /// - Throws: where the symbol is not of the form `BTC-USD`.
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
    /// What it is priced in: US dollars where it names no currency.
    var currency: Currency { (try? Pair(self))?.currency ?? .usDollar }
}
