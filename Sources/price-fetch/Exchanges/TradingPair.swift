import PipeCommon

/// What an exchange is asked for: how much `currency` for one `base`.
struct TradingPair: Hashable, Sendable {
    let base: String
    let currency: Currency

    /// - Throws: when the symbol does not have the form `BTC-USD`: capital letters and digits on both sides.
    init(_ symbol: Symbol) throws(InvalidInput) {
        guard let (base, currency) = symbol.parts, !base.isEmpty,
            base.utf8.allSatisfy({ UInt8.isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            )
        else { throw InvalidInput("not a pair such as BTC-USD") }
        self.base = String(base)
        self.currency = currency
    }
}

extension Symbol {
    /// The currency of its price: US dollars if it names none.
    var currency: Currency { parts?.currency ?? .usDollar }

    /// What stands on both sides of its only hyphen, if that is a currency on the right.
    fileprivate var parts: (base: Substring, currency: Currency)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let currency = Currency(String(parts[1])) else { return nil }
        return (parts[0], currency)
    }
}
