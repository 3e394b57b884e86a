import PipeCommon

extension PriceSource {
    /// Kraken, ticker. `c` is the last trade: price and volume. Kraken calls bitcoin XBT, and answers for older pairs
    /// under a longer name (`XXBTZUSD`).
    ///
    ///     GET https://api.kraken.com/0/public/Ticker?pair=XBTUSD
    ///     {"error":[],"result":{"XXBTZUSD":{"c":["92066.90000","0.0010"],…}}}
    ///
    /// Errors: a non-empty `error` with status 200.
    /// https://docs.kraken.com/api/docs/rest-api/get-ticker-information
    static let kraken = exchange("kraken") { pair in
        "https://api.kraken.com/0/public/Ticker?pair=\(asset(pair))\(pair.currency.code)"
    } price: { answer, pair throws(InvalidInput) in
        if let error = answer["error"]?[0] {
            throw InvalidInput(error.string ?? "an error without a message")
        }
        guard let result = answer["result"], result.kind == .object, result.children.count == 1 else {
            throw InvalidInput("expected exactly one pair in the result")
        }
        let names = ["\(asset(pair))\(pair.currency.code)", "X\(asset(pair))Z\(pair.currency.code)"]
        guard let ticker = names.compactMap({ result[$0] }).first else {
            throw InvalidInput("the result is not of \(names[0])")
        }
        return try ticker.price("/c/0", as: .string)
    }
}

private func asset(_ pair: TradingPair) -> String {
    ["BTC": "XBT", "DOGE": "XDG"][pair.base] ?? pair.base
}
