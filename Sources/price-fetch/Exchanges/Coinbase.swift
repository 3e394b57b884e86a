import PipeCommon

extension PriceSource {
    /// Coinbase, spot price.
    ///
    ///     GET https://api.coinbase.com/v2/prices/BTC-USD/spot
    ///     {"data":{"amount":"92066.955","base":"BTC","currency":"USD"}}
    ///
    /// Errors: status 404 with `{"errors":[{"id":"not_found","message":"Invalid base currency"}]}` for another pair.
    /// https://docs.cdp.coinbase.com/coinbase-app/docs/api-prices
    static let coinbase = exchange("coinbase", market: \.coinbaseMarket) { pair in
        "https://api.coinbase.com/v2/prices/\(pair.coinbaseMarket)/spot"
    } price: { answer, pair throws(InvalidInput) in
        try answer.expect("/data/base", pair.base)
        try answer.expect("/data/currency", pair.currency.code)
        return try answer.price("/data/amount", as: .string)
    }
}

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var coinbaseMarket: String {
        "\(base)-\(currency.code)"
    }
}
