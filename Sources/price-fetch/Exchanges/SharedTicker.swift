import PipeCommon

/// How to request several markets of an exchange at the same time, and to match the tickers in the answer to
/// the pairs. Pure.
struct SharedTicker: Sendable {
    /// The address for several markets, given by the exchange's own names.
    var url: @Sendable ([String]) -> String
    /// The names that a pair may have in the answer. The first is used in the request.
    let names: @Sendable (TradingPair) -> [String]
    /// The tickers in an answer with status 200, each with its name.
    let tickers: @Sendable (JSON) throws(InvalidInput) -> [(name: String, ticker: JSON)]
    /// The place of the price in a ticker.
    let price: JSONPointer

    /// Two symbols may share a market, which is then requested once.
    func url(of pairs: [TradingPair]) -> String {
        var seen: Set<String> = []
        return url(pairs.map { names($0)[0] }.filter { seen.insert($0).inserted })
    }

    /// The price of each pair. A pair is omitted unless the answer has exactly one valid price that is
    /// certainly its own: a name that two pairs may have counts for neither.
    func prices(of pairs: [TradingPair], in answer: JSON) throws(InvalidInput) -> [TradingPair: Price] {
        let names = pairs.map(names)
        var market: [String: String?] = [:]
        for names in names {
            for name in names {
                market[name] = .some(market[name, default: names[0]] == names[0] ? names[0] : nil)
            }
        }
        var found: [String: [JSON]] = [:]
        for (name, ticker) in try tickers(answer) {
            if let market = market[name] ?? nil { found[market, default: []].append(ticker) }
        }
        var prices: [TradingPair: Price] = [:]
        for (pair, names) in zip(pairs, names) {
            guard let tickers = found[names[0]], tickers.count == 1 else { continue }
            prices[pair] = try? tickers[0].price(price, as: .string)
        }
        return prices
    }
}
