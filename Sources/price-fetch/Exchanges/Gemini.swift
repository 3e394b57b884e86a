import PipeCommon

extension PriceSource {
    /// Gemini, ticker. `last` is the price of the last trade. The names in `volume` identify the pair. The volumes
    /// cover the 24 hours before `timestamp`, which is the beginning of a minute.
    ///
    ///     GET https://api.gemini.com/v1/pubticker/btcusd
    ///     {"ask":"977.59","bid":"977.35","last":"977.65","volume":{"BTC":"2210.505328803","USD":"2135477.463379586263",
    ///     "timestamp":1483018200000}}
    ///
    /// Errors: status 400 with `{"result":"error","reason":"Bad Request","message":"Supplied value 'X' is not a valid
    /// symbol"}`, or status 400 or 404 with the reason `InvalidSymbol`.
    /// https://developer.gemini.com/rest-api
    /// Rate limit: https://developer.gemini.com/rate-limits
    ///
    /// The endpoint `pricefeed` lists the price of each market, but not the time of the price:
    ///
    ///     GET https://api.gemini.com/v1/pricefeed
    ///     [{"pair":"BTCUSD","price":"9500.00","percentChange24h":"5.23"},…]
    static let gemini = PriceSource(
        name: "gemini", quotes: QuoteCurrencies.usual,
        market: { "\($0.base)\($0.currency.code)".lowercased() },
        limit: RateLimit(interval: .milliseconds(520), burst: 4, words: "120 requests per minute"),
        shared: SharedTicker(
            fewest: 3, most: .max, largestBody: 256 * 1024,
            url: { _ in "https://api.gemini.com/v1/pricefeed" },
            names: { [$0.name.uppercased()] },
            tickers: { answer throws(InvalidInput) in try answer.tickers("", name: "pair") },
            price: "/price"),
        candles: .gemini,
        push: .gemini,
        time: TimeField("/volume/timestamp", in: .milliseconds), oldest: .seconds(600),
        url: { market in
            "https://api.gemini.com/v1/pubticker/\(market.name)"
        },
        refusal: { status, answer in
            let isUnknown =
                answer["reason"]?.string == "InvalidSymbol"
                || answer["message"]?.string?.hasSuffix("is not a valid symbol") == true
            if status == 503 { return .network }
            return status == 404 || status == 400 && isUnknown ? .unsupported : nil
        },
        price: { answer, market throws(InvalidInput) in
            guard answer["volume"]?[market.base] != nil, answer["volume"]?[market.currency.code] != nil else {
                throw InvalidInput(
                    "the answer does not contain the volumes in \(market.base) and \(market.currency.code)")
            }
            return try answer.price("/last", as: .string)
        })
}

extension CandleSource {
    /// Gemini, candles. The newest candle comes first and the oldest candle last. The answer contains all candles that
    /// Gemini keeps; minute candles are kept for one day. The answer does not name its pair, and its prices are JSON
    /// numbers. Gemini's day candles are not used, because they do not begin at midnight UTC.
    ///
    ///     GET https://api.gemini.com/v2/candles/btcusd/15m
    ///     [[1559755800000,7781.6,7820.23,7776.56,7819.39,34.7624802159],…]
    ///
    /// A row contains the time, open, high, low, close and volume.
    /// https://developer.gemini.com/rest-api
    static let gemini = CandleSource(
        most: 1440, last: 1440, hasDays: false,
        url: { market, range in
            "https://api.gemini.com/v2/candles/\(market.name)/\(lengths[range.candle]!)"
        },
        rows: { answer, _ in answer.elements },
        time: TimeField("/0", in: .milliseconds),
        fields: CandleFields(
            open: "/1", high: "/2", low: "/3", close: "/4", volume: "/5", as: .number))
}

private let lengths: [Candle: String] = [
    .minute: "1m", .fiveMinutes: "5m", .quarterHour: "15m", .hour: "1hr", .day: "1day",
]

extension PushSource {
    /// Gemini, trades. After a subscription, the feed does not send a price until the market's next trade. While the
    /// market is quiet, answers to pings prove that the feed is alive.
    ///
    ///     wss://ws.gemini.com
    ///     {"id":"1","method":"subscribe","params":["btcusd@trade"]}
    ///     {"id":"1","status":200,"result":{}}
    ///     {"E":1751508438600117161,"s":"btcusd","t":2840140956529623,"p":"45000.50","q":"0.00100000","m":true}
    ///
    /// `E` is the time of the message, in nanoseconds.
    /// Errors: `{"id":"1","status":400,"error":{"code":-1013,"msg":"Invalid parameters"}}`.
    /// https://developer.gemini.com/websocket/streams
    static let gemini = PushSource(
        address: "wss://ws.gemini.com",
        request: { #"{"id":"1","method":"\#($0)","params":[\#(list($1.map { "\($0)@trade" }))]}"# },
        message: { json in
            if let id = json["id"] {
                if let error = json["error"] {
                    return .refused(error["msg"]?.string)
                }
                return id.string == ping ? .heartbeat : .accepted()
            }
            guard json["t"] != nil || json["p"] != nil else { return .other }
            guard let market = json["s"]?.string else {
                return .unreadable(market: nil, reason: "a trade without a symbol")
            }
            return price("/p", as: .string, in: json, of: market, time: TimeField("/E", in: .nanoseconds))
        },
        heartbeat: Heartbeat(request: #"{"id":"\#(ping)","method":"ping"}"#))
}

/// The id of heartbeat requests. It distinguishes their answers from the answers to subscription requests.
private let ping = "2"
