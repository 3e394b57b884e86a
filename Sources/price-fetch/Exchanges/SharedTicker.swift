import PipeCommon

/// How an exchange is asked for several markets in one request, and which ticker in its answer is of which pair. Pure.
struct SharedTicker: Sendable {
    /// The address for markets, by the exchange's own names.
    var url: @Sendable ([String]) -> String
    /// The names under which a pair may be in the answer. The first is the one that is asked for.
    let names: @Sendable (TradingPair) -> [String]
    /// The tickers in an answer with status 200, each with its name there.
    let tickers: @Sendable (JSON) throws(InvalidInput) -> [(name: String, ticker: JSON)]
    /// The place of the price in a ticker.
    let price: JSONPointer

    /// Two symbols may be of one market, which is asked for once.
    func url(of pairs: [TradingPair]) -> String {
        var seen: Set<String> = []
        return url(pairs.map { names($0)[0] }.filter { seen.insert($0).inserted })
    }

    /// The price of each pair. A pair is left out if the answer does not have exactly one good price that is surely
    /// its own: a name that two of the pairs may have counts for neither.
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
