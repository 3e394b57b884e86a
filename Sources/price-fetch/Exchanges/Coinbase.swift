import PipeCommon

extension PriceSource {
    /// Coinbase Exchange, product ticker. The answer contains the price and the time of the last trade. The pair is in
    /// the URL, not in the answer.
    ///
    ///     GET https://api.exchange.coinbase.com/products/BTC-USD/ticker
    ///     {"ask":"63212.98","bid":"63212.97","price":"63212.97","time":"2026-06-19T16:43:33.016274911Z",…}
    ///
    /// This answer is cached for a second. The answer of Coinbase's spot price endpoint is not used, because it is
    /// cached for a minute without any indication of its age.
    /// Errors: status 404 with `{"message":"NotFound"}` for an unknown pair; status 400 or 404 with `Not allowed for
    /// delisted products` for a delisted pair.
    /// https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
    /// Rate limit: https://docs.cdp.coinbase.com/exchange/rest-api/rate-limits
    static let coinbase = PriceSource(
        name: "coinbase", market: { "\($0.base)-\($0.currency.code)" },
        limit: RateLimit(interval: .milliseconds(100), burst: 14, words: "10 requests per second"),
        candles: .coinbase, push: .coinbase,
        time: TimeField("/time", in: .rfc3339),
        oldest: .seconds(600),
        url: { market in
            "https://api.exchange.coinbase.com/products/\(market.name)/ticker"
        },
        refusal: { status, answer in
            let isDelisted = status == 400 && answer["message"]?.string?.contains("delisted") == true
            return status == 404 || isDelisted ? .unsupported : nil
        },
        price: { answer, _ throws(InvalidInput) in
            try answer.price("/price", as: .string)
        })
}

extension CandleSource {
    /// Coinbase Exchange, product candles. The newest candle comes first. Intervals without trades are omitted. The
    /// answer does not name its pair, and its prices are JSON numbers.
    ///
    ///     GET https://api.exchange.coinbase.com/products/ETH-BTC/candles?granularity=60&start=…&end=…
    ///     [[1591514160,0.02507,0.02507,0.02507,0.02507,0.02816506],…]
    ///
    /// A row contains the time, low, high, open, close and volume. `start` and `end` are inclusive and are given in
    /// seconds since 1970 or in RFC 3339 format. The answer may also contain rows before `start`.
    /// Errors: status 404 with `{"message":"NotFound"}` for an unknown pair.
    /// https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-candles
    static let coinbase = CandleSource(
        most: 300,
        url: { market, range in
            "https://api.exchange.coinbase.com/products/\(market.name)/candles"
                + "?granularity=\(range.candle.seconds)&start=\(range.first.text)&end=\((range.last + .seconds(1)).text)"
        },
        rows: { answer, _ in answer.elements },
        time: TimeField("/0", in: .seconds),
        fields: CandleFields(
            open: "/3", high: "/2", low: "/1", close: "/4", volume: "/5", as: .number))
}

extension PushSource {
    /// Coinbase Exchange, tickers. The feed sends the last trade immediately, an update after new trades, and a
    /// heartbeat every second.
    ///
    ///     wss://ws-feed.exchange.coinbase.com
    ///     {"type":"subscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}
    ///     {"type":"subscriptions","channels":[…]}
    ///     {"type":"ticker","sequence":7388547310,"product_id":"BTC-USD","price":"22345.67","time":"2023-03-04T03:37:20.799258Z",…}
    ///     {"type":"heartbeat","sequence":90,"product_id":"BTC-USD",…}
    ///
    /// `time` is the time of the last trade. When the first ticker arrives, this trade may already be minutes old.
    /// Errors: `{"type":"error","message":"Failed to subscribe","reason":"BTC-XYZ is not a valid product"}`.
    /// https://docs.cdp.coinbase.com/exchange/docs/websocket-channels
    static let coinbase = PushSource(
        address: "wss://ws-feed.exchange.coinbase.com",
        request: { #"{"type":"\#($0)","product_ids":[\#(list($1))],"channels":["ticker","heartbeat"]}"# },
        message: { json in
            switch json["type"]?.string {
            case "subscriptions":
                let tickers = json["channels"]?.elements?.filter { $0["name"]?.string == "ticker" } ?? []
                return .subscribed(tickers.flatMap { $0["product_ids"]?.elements ?? [] }.compactMap(\.string))
            case "heartbeat": return .heartbeat
            case "error":
                let words = [json["message"]?.string, json["reason"]?.string].compactMap(\.self)
                return .refused(words.isEmpty ? nil : words.joined(separator: ": "))
            case "ticker":
                guard let market = json["product_id"]?.string else {
                    return .unreadable(market: nil, reason: "a ticker without a product")
                }
                let sequence = json["sequence"]?.number.flatMap(Int.init)
                return price(
                    "/price", as: .string, in: json, of: market, sequence: sequence,
                    time: TimeField("/time", in: .rfc3339))
            default: return .other
            }
        },
        oldestPrice: .seconds(600))
}
