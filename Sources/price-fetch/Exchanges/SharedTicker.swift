import PipeCommon

/// How to request several markets of an exchange at the same time, and to match the tickers in the answer to
/// what was asked for. Pure.
struct SharedTicker: Sendable {
    /// The address for several markets, given by the exchange's own names.
    var url: @Sendable ([String]) -> String
    /// The names that a market may have in the answer. The first is used in the request.
    let names: @Sendable (Market) -> [String]
    /// The tickers in an answer with status 200, each with its name.
    let tickers: @Sendable (JSON) throws(InvalidInput) -> [(name: String, ticker: JSON)]
    /// The place of the price in a ticker.
    let price: JSONPointer

    /// Two symbols may share a market, which is then requested once.
    func url(of markets: [Market]) -> String {
        var seen: Set<String> = []
        return url(markets.map { names($0)[0] }.filter { seen.insert($0).inserted })
    }

    /// The price of each market. It is omitted unless the answer has exactly one valid price that is
    /// certainly its own: a name that two of them may have counts for neither.
    func prices(of markets: [Market], in answer: JSON) throws(InvalidInput) -> [Market: Price] {
        let names = markets.map(names)
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
        var prices: [Market: Price] = [:]
        for (asked, names) in zip(markets, names) {
            guard let tickers = found[names[0]], tickers.count == 1 else { continue }
            prices[asked] = try? tickers[0].price(price, as: .string)
        }
        return prices
    }
}
