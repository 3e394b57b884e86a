import PipeCommon

extension PriceSource {
    /// Bybit, tickers. The answer contains the price of the last trade and, in `time`, the time of the answer itself.
    /// USDT counts as US dollars, 1:1.
    ///
    ///     GET https://api.bybit.com/v5/market/tickers?category=spot&symbol=BTCUSDT
    ///     {"retCode":0,"retMsg":"OK","result":{"category":"spot","list":[{"symbol":"BTCUSDT","lastPrice":"20533.13",…}]},
    ///     "retExtInfo":{},"time":1673859087947}
    ///
    /// Some errors come with status 200: `{"retCode":10001,"retMsg":"Not supported symbols","result":{},…}`; codes
    /// 10006 and 10018 mean too many requests. A client that keeps exceeding the limit gets status 403 with the message
    /// `access too frequent` for ten minutes. Where Bybit is blocked, the status is 403 as well. Codes 10000, 10016 and
    /// 10029 are treated as an outage. Code 10009 means that the IP address is banned. Code 10024 means that a
    /// compliance rule forbids the request (https://bybit-exchange.github.io/docs/v5/error).
    /// https://bybit-exchange.github.io/docs/v5/market/tickers
    /// Rate limit: https://bybit-exchange.github.io/docs/v5/rate-limit
    ///
    /// Without `symbol`, the list contains all markets, and the answer is about 200 KB long.
    static let bybit = PriceSource(
        name: "bybit", quotes: QuoteCurrencies.usual, market: { $0.base + $0.currencyInTether },
        limit: RateLimit(
            interval: .milliseconds(10), burst: 100, words: "600 requests in 5 seconds",
            pause: .seconds(600)),
        shared: SharedTicker(
            fewest: 20, most: .max, largestBody: 2 * 1024 * 1024,
            url: { _ in "https://api.bybit.com/v5/market/tickers?category=spot" },
            names: { [$0.name] },
            tickers: { answer throws(InvalidInput) in try answer.tickers("/result/list", name: "symbol") },
            price: "/lastPrice", answerTime: TimeField("/time", in: .milliseconds)),
        candles: .bybit, push: .bybit,
        time: TimeField("/time", in: .milliseconds), reason: "/retMsg",
        url: { market in
            "https://api.bybit.com/v5/market/tickers?category=spot&symbol=\(market.name)"
        },
        refusal: { status, answer in
            if isTooFrequent(status, answer) { return .rateLimited }
            return switch answer["retCode"]?.number {
            case "0", nil: nil
            case "10001": .unsupported
            case "10006", "10018": .rateLimited
            case "10000", "10016", "10029": .network
            case "10009", "10024": .denied
            default: status == 200 ? .invalidData : nil
            }
        },
        price: { answer, market throws(InvalidInput) in
            try answer.expect("/result/list/0/symbol", market.name)
            return try answer.price("/result/list/0/lastPrice", as: .string)
        })
}

extension CandleSource {
    /// Bybit, klines. The newest candle comes first and the oldest candle last.
    ///
    ///     GET https://api.bybit.com/v5/market/kline?category=spot&symbol=BTCUSDT&interval=60&start=…&end=…&limit=3
    ///     {"retCode":0,"retMsg":"OK","result":{"category":"spot","symbol":"BTCUSDT","list":[["1670608800000","17071",
    ///     "17073","17027","17055.5","268611","15.74462667"],…]},"retExtInfo":{},"time":1672025956592}
    ///
    /// A row contains the time, open, high, low, close, volume and turnover. `start` and `end` are inclusive.
    /// https://bybit-exchange.github.io/docs/v5/market/kline
    static let bybit = CandleSource(
        most: 1000,
        url: { market, range in
            let interval = range.candle == .day ? "D" : "\(range.candle.seconds / 60)"
            return
                "https://api.bybit.com/v5/market/kline?category=spot&symbol=\(market.name)&interval=\(interval)"
                + "&start=\(range.first.milliseconds)&end=\(range.last.milliseconds)&limit=\(range.count)"
        },
        rows: { answer, market throws(InvalidInput) in
            try answer.expect("/result/symbol", market.name)
            return answer["result"]?["list"]?.elements
        },
        time: TimeField("/0", in: .milliseconds),
        fields: CandleFields(
            open: "/1", high: "/2", low: "/3", close: "/4", volume: "/5", as: .string))
}

extension PushSource {
    /// Bybit, tickers. The feed sends one ticker immediately, then a ticker for every change, up to 20 per second.
    ///
    ///     wss://stream.bybit.com/v5/public/spot
    ///     {"op":"subscribe","args":["tickers.BTCUSDT"]}
    ///     {"success":true,"ret_msg":"subscribe","conn_id":"2324d924","op":"subscribe"}
    ///     {"topic":"tickers.BTCUSDT","ts":1673853746003,"type":"snapshot","data":{"symbol":"BTCUSDT","lastPrice":"21109.77",…}}
    ///
    /// Bybit expects the ping `{"op":"ping"}` every 20 seconds and answers it with
    /// `{"success":true,"ret_msg":"pong","op":"ping",…}`. A request may contain up to ten markets.
    /// Errors: `{"success":false,"ret_msg":"Invalid symbol :[tickers.XUSDT]","op":"subscribe",…}`.
    /// https://bybit-exchange.github.io/docs/v5/websocket/public/ticker
    static let bybit = PushSource(
        address: "wss://stream.bybit.com/v5/public/spot",
        request: { #"{"op":"\#($0)","args":[\#(list($1.map { topic + $0 }))]}"# },
        message: { json in
            if let operation = json["op"]?.string {
                if case .boolean(false)? = json["success"] {
                    return .refused(json["ret_msg"]?.string)
                }
                return ["ping", "pong"].contains(operation) ? .heartbeat : .accepted()
            }
            guard let name = json["topic"]?.string, name.hasPrefix(topic) else { return .other }
            let market = String(name.dropFirst(topic.count))
            guard json["data"]?["symbol"]?.string == market else {
                return .unreadable(market: market, reason: "it does not contain a ticker for \(market)")
            }
            return price(
                "/data/lastPrice", as: .string, in: json, of: market,
                time: TimeField("/ts", in: .milliseconds))
        },
        heartbeat: Heartbeat(request: #"{"op":"ping"}"#, interval: .seconds(20)),
        largestBatch: 10)
}

private func isTooFrequent(_ status: Int, _ answer: JSON) -> Bool {
    status == 403 && answer["retMsg"]?.string?.lowercased().contains("access too frequent") == true
}

private let topic = "tickers."
