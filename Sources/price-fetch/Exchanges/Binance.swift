import PipeCommon

extension PriceSource {
    /// Binance, symbol price ticker. USDT counts as US dollars, 1:1.
    ///
    ///     GET https://api.binance.com/api/v3/ticker/price?symbol=BTCUSDT
    ///     {"symbol":"BTCUSDT","price":"114721.34000000"}
    ///
    /// Errors: status 400 with `{"code":-1121,"msg":"Invalid symbol."}`, or -1100 for one that is too long; 451 where
    /// Binance is blocked.
    /// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
    static let binance = exchange("binance", market: \.binanceMarket, advice: [451: blocked, 403: blocked]) {
        pair in
        "https://api.binance.com/api/v3/ticker/price?symbol=\(pair.binanceMarket)"
    } refusal: { status, answer in
        status == 400 && ["-1121", "-1100"].contains(answer["code"]?.number) ? .unsupported : nil
    } price: { answer, pair throws(InvalidInput) in
        try answer.expect("/symbol", pair.binanceMarket)
        return try answer.price("/price", as: .string)
    }
}

private let blocked = """
    Binance may be blocked in your country; try its public data host: \
    price-fetch --base https://data-api.binance.vision binance
    """

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var binanceMarket: String {
        base + (currency == .usDollar ? "USDT" : currency.code)
    }
}
