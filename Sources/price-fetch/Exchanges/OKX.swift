import PipeCommon

extension PriceSource {
    /// OKX, ticker. The answer contains the price of the last trade, and the time of the ticker. OKX offers markets in
    /// US dollars, so its USDT markets are not used for pairs in US dollars.
    ///
    ///     GET https://www.okx.com/api/v5/market/ticker?instId=BTC-USD
    ///     {"code":"0","msg":"","data":[{"instType":"SPOT","instId":"BTC-USD","last":"9999.99","ts":"1597026383085",…}]}
    ///
    /// Some errors come with status 200: `{"code":"51001","msg":"Instrument ID … doesn't exist.","data":[]}`; the code
    /// 50011 means too many requests.
    /// https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-ticker (also documents the rate limit)
    ///
    /// `GET /api/v5/market/tickers?instType=SPOT` returns about 400 KB, with all markets in `data`.
    /// https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers
    static let okx = PriceSource(
        name: "okx", market: { "\($0.base)-\($0.currency.code)" },
        limit: RateLimit(interval: .milliseconds(120), burst: 3, words: "20 requests in 2 seconds"),
        shared: SharedTicker(
            fewest: 8, most: .max, largestBody: 2 * 1024 * 1024,
            url: { _ in "https://www.okx.com/api/v5/market/tickers?instType=SPOT" },
            names: { [$0.name] },
            tickers: { answer throws(InvalidInput) in try answer.tickers("/data", name: "instId") },
            price: "/last", time: TimeField("/ts", in: .milliseconds)),
        candles: .okx, push: .okx,
        time: TimeField("/data/0/ts", in: .milliseconds),
        url: { market in
            "https://www.okx.com/api/v5/market/ticker?instId=\(market.name)"
        },
        refusal: { status, answer in
            switch answer["code"]?.string {
            case "0", nil: nil
            case "51001": .unsupported
            case "50011": .rateLimited
            case "50001", "50013", "50026": .network
            default: status == 200 ? .invalidData : nil
            }
        },
        price: { answer, market throws(InvalidInput) in
            try answer.expect("/data/0/instId", market.name)
            return try answer.price("/data/0/last", as: .string)
        })
}

extension CandleSource {
    /// OKX, candlesticks. The newest candle comes first and the oldest candle last. Only the latest 1440 candles can be
    /// requested. The answer does not name its pair.
    ///
    ///     GET https://www.okx.com/api/v5/market/candles?instId=BTC-USD&bar=1Dutc&after=1597104000000&limit=3
    ///     {"code":"0","msg":"","data":[["1597017600000","3.721","3.743","3.677","3.708","8422410","22698348.04828491",
    ///     "12698348.04828491","0"],…]}
    ///
    /// A row contains the time, open, high, low, close, three volumes, and a flag: 1 if the candle is closed,
    /// otherwise 0. The answer contains only candles that begin before the time in `after`.
    /// https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-candlesticks
    static let okx = CandleSource(
        most: 300, last: 1440,
        url: { market, range in
            let end = range.last + range.candle.length
            return "https://www.okx.com/api/v5/market/candles?instId=\(market.name)"
                + "&bar=\(bars[range.candle]!)&after=\(end.milliseconds)&limit=\(range.count)"
        },
        rows: { answer, _ in answer["data"]?.elements },
        time: TimeField("/0", in: .milliseconds),
        fields: CandleFields(
            open: "/1", high: "/2", low: "/3", close: "/4", volume: "/5", as: .string))
}

/// OKX's names for the lengths of candles. Without `utc`, a day begins at midnight in Hong Kong.
private let bars: [Candle: String] = [
    .minute: "1m", .fiveMinutes: "5m", .quarterHour: "15m", .hour: "1H", .day: "1Dutc",
]

extension PushSource {
    /// OKX, tickers. The feed sends one ticker immediately, then a ticker for every change, up to ten per second.
    ///
    ///     wss://ws.okx.com:8443/ws/v5/public
    ///     {"op":"subscribe","args":[{"channel":"tickers","instId":"BTC-USD"}]}
    ///     {"event":"subscribe","arg":{"channel":"tickers","instId":"BTC-USD"},"connId":"a4d3ae55"}
    ///     {"arg":{"channel":"tickers","instId":"BTC-USD"},"data":[{"instId":"BTC-USD","last":"9999.99","ts":"1597026383085",…}]}
    ///
    /// OKX closes a connection that is silent for 30 seconds. It answers the text `ping` with the text `pong`.
    /// Errors: `{"event":"error","code":"60018","msg":"Wrong URL or channel:tickers,instId:X-USD doesn't exist. …"}`.
    /// `{"event":"notice","code":"64008",…}` announces that the server will close the connection.
    /// https://www.okx.com/docs-v5/en/#order-book-trading-market-data-ws-tickers-channel
    static let okx = PushSource(
        address: "wss://ws.okx.com:8443/ws/v5/public",
        request: { verb, markets in
            let args = markets.map { #"{"channel":"tickers","instId":"\#($0)"}"# }.joined(separator: ",")
            return #"{"op":"\#(verb)","args":[\#(args)]}"#
        },
        message: { json in
            let market = json["arg"]?["instId"]?.string
            switch json["event"]?.string {
            case "subscribe": return .accepted(market: market)
            case "unsubscribe": return market.map { .ended(market: $0) } ?? .accepted()
            case "error": return .refused(json["msg"]?.string)
            case "notice": return .reconnect
            case .some: return .other
            case nil: break
            }
            guard json["arg"]?["channel"]?.string == "tickers" else { return .other }
            guard let market, let ticker = json["data"]?[0], ticker["instId"]?.string == market else {
                return .unreadable(
                    market: market,
                    reason: market.map { "it does not contain a ticker for \($0)" }
                        ?? "it does not contain /arg/instId")
            }
            return price(
                "/last", as: .string, in: ticker, of: market, time: TimeField("/ts", in: .milliseconds))
        },
        heartbeat: Heartbeat(request: "ping", answer: "pong", interval: .seconds(20)))
}
