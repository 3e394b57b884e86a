import PipeCommon

/// A pair as traded on exchanges: one unit of `base`, priced in `currency`. For a source that is not limited to pairs,
/// `base` is the whole text of the symbol.
struct TradingPair: Hashable, Sendable {
    let symbol: Symbol
    let base: String
    let currency: Currency

    /// The currency's code at exchanges where USDT markets are used for pairs in US dollars; 1 USDT counts as 1 USD.
    var currencyInTether: String { currency == .usDollar ? "USDT" : currency.code }
}

/// A trading pair with the name that one source uses for it.
struct Market: Hashable, Sendable {
    let pair: TradingPair
    /// The source's own name for the pair, such as `BTCUSDT`. For a source without names of its own, this is the text
    /// of the symbol.
    let name: String

    var base: String { pair.base }
    var currency: Currency { pair.currency }
}

extension TradingPair {
    /// - Throws: an error if the symbol does not have the form `BTC-USD`: capital letters and digits, a hyphen, and a
    ///   currency code.
    init(_ symbol: Symbol) throws(InvalidInput) {
        let base = String(symbol.text.prefix { $0 != "-" })
        guard let currency = symbol.currencyOfPair, !base.isEmpty,
            base.utf8.allSatisfy(UInt8.isCapitalOrDigit)
        else { throw InvalidInput("not a pair such as BTC-USD") }
        self.init(symbol: symbol, base: base, currency: currency)
    }
}

extension Symbol {
    /// The currency that the symbol names, whether its letters are capital or lowercase; US dollars if the symbol does
    /// not name a currency.
    var currency: Currency { Symbol(text.uppercased())?.currencyOfPair ?? .usDollar }
}

/// Currencies in which exchanges quote prices: fiat currencies, stablecoins and other coins. No name in the list ends
/// with another name in the list, so a market's name without a separator can be split in only one way. For example,
/// PAXGUSD can only mean PAXG and USD, because GUSD is not in the list.
enum QuoteCurrencies {
    static let usual: Set<String> = [
        "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "SGD", "HKD", "AED", "TRY", "BRL", "MXN",
        "ARS",
        "COP", "PLN", "CZK", "RON", "UAH", "RUB", "ZAR", "NGN",
        "USDT", "USDC", "USD1", "USDP", "USDS", "UST", "PAX", "DAI", "VAI", "EURI", "IDRT", "BIDR", "BKRW",
        "BVND",
        "BTC", "XBT", "ETH", "BNB", "XRP", "TRX", "DOGE", "DOT", "SOL",
    ]
}

/// Swift's own versions of these functions are part of its regular-expression library, which would take a third of a
/// megabyte of memory in every price-fetch process.
extension String {
    func contains(_ part: String) -> Bool {
        indices.contains { self[$0...].hasPrefix(part) }
    }

    /// Compares bytes, because `part` may be followed by a combining character.
    ///
    /// - Parameter part: must not be empty.
    func replacing(_ part: String, with other: String) -> String {
        var (text, rest) = ([UInt8](), utf8[...])
        while let first = rest.first {
            let isPart = rest.starts(with: part.utf8)
            if isPart { text += other.utf8 } else { text.append(first) }
            rest = rest.dropFirst(isPart ? part.utf8.count : 1)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
