import PipeCommon

extension PriceSource {
    /// Coinbase Exchange, product ticker: the last trade, and its time. The answer does not name its pair: the address
    /// alone does.
    ///
    ///     GET https://api.exchange.coinbase.com/products/BTC-USD/ticker
    ///     {"ask":"63212.98","bid":"63212.97","price":"63212.97","time":"2026-06-19T16:43:33.016274911Z",…}
    ///
    /// Caches hold it for a second; they hold Coinbase's spot price for a minute, without saying so.
    /// Errors: status 404 with `{"message":"NotFound"}` for another pair; 400 or 404 with `Not allowed for delisted
    /// products`.
    /// https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
    static let coinbase = exchange(
        "coinbase", market: \.coinbaseMarket, time: TimeField("/time", in: .rfc3339), oldest: .seconds(600)
    ) { pair in
        "https://api.exchange.coinbase.com/products/\(pair.coinbaseMarket)/ticker"
    } refusal: { status, answer in
        let isDelisted = status == 400 && answer["message"]?.string?.contains("delisted") == true
        return status == 404 || isDelisted ? .unsupported : nil
    } price: { answer, _ throws(InvalidInput) in
        try answer.price("/price", as: .string)
    }
}

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var coinbaseMarket: String {
        "\(base)-\(currency.code)"
    }
}
