import PipeCommon

extension PriceSource {
    /// Binance, symbol price ticker. USDT counts as US dollars, 1:1.
    ///
    ///     GET https://api.binance.com/api/v3/ticker/price?symbol=BTCUSDT&symbolStatus=TRADING
    ///     {"symbol":"BTCUSDT","price":"114721.34000000"}
    ///
    /// `symbols=["BTCUSDT","ETHUSDT"]`, percent-encoded, requests several symbols. The answer is an array of objects
    /// like the one above, in any order. One unknown symbol makes the whole request fail.
    ///
    /// Without `symbolStatus`, the answer for a market that was closed years ago still contains its last price. With
    /// `symbolStatus`, a request for such a market alone is rejected (code -1220), and an answer for several symbols
    /// omits the market.
    ///
    /// `quotes` can contain FDUSD, TUSD and BUSD although these codes end in USD: because no Binance market is quoted
    /// in USD, `BTCTUSD` can only mean BTC and TUSD.
    ///
    /// Errors: status 400 with `{"code":-1121,"msg":"Invalid symbol."}`, or with the code -1100 for a symbol that is
    /// too long; status 451 where Binance is blocked.
    /// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
    /// Rate limit: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits
    static let binance = PriceSource(
        name: "binance", quotes: QuoteCurrencies.usual.union(["FDUSD", "TUSD", "BUSD"]),
        market: { $0.base + $0.currencyInTether },
        limit: RateLimit(
            interval: .milliseconds(21), burst: 100, words: "a request weight of 6,000 per minute"),
        shared: tickers, candles: .binance, push: .binance,
        advice: """
            Binance may be blocked in your country; try its public data host: \
            price-fetch --base https://data-api.binance.vision binance
            """,
        url: { market in
            "https://api.binance.com/api/v3/ticker/price?symbol=\(market.name)&symbolStatus=TRADING"
        },
        refusal: { status, answer in
            status == 400 && ["-1121", "-1100", "-1220"].contains(answer["code"]?.number) ? .unsupported : nil
        },
        price: { answer, market throws(InvalidInput) in
            try answer.expect("/symbol", market.name)
            return try answer.price("/price", as: .string)
        })
}

/// Binance gives a request for a single market a weight of 2 and a request for several markets a weight of 4, so a
/// shared request counts as two requests.
private let tickers = SharedTicker(
    weight: 2,
    url: { markets in
        let list = markets.map { "%22\($0)%22" }.joined(separator: ",")
        return "https://api.binance.com/api/v3/ticker/price?symbols=%5B\(list)%5D&symbolStatus=TRADING"
    },
    names: { [$0.name] },
    tickers: { answer throws(InvalidInput) in try answer.tickers("", name: "symbol") },
    price: "/price")

extension CandleSource {
    /// Binance, klines. The oldest candle comes first and the newest candle last; times are in milliseconds. The answer
    /// does not name its pair.
    ///
    ///     GET https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=1499040000000&limit=32
    ///     [[1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499126399999,…],…]
    ///
    /// A row contains the time, open, high, low, close, volume, and the last millisecond of the candle.
    /// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
    static let binance = CandleSource(
        most: 1000,
        url: { market, range in
            "https://api.binance.com/api/v3/klines?symbol=\(market.name)"
                + "&interval=\(range.candle.rawValue)&startTime=\(range.first.milliseconds)&limit=\(range.count)"
        },
        rows: { answer, _ in answer.elements },
        time: TimeField("/0", in: .milliseconds), end: TimeField("/6", in: .milliseconds),
        fields: CandleFields(
            open: "/1", high: "/2", low: "/3", close: "/4", volume: "/5", as: .string))
}

extension PushSource {
    /// Binance, mini tickers: one message per second for each market whose ticker has changed. USDT counts as US
    /// dollars, 1:1.
    ///
    ///     wss://stream.binance.com:9443/stream
    ///     {"method":"SUBSCRIBE","params":["btcusdt@miniTicker"],"id":1}
    ///     {"result":null,"id":1}
    ///     {"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10",…}}
    ///
    /// `E` is the time of the message. Binance sends no heartbeats. While no subscribed market changes, the feed does
    /// not send any ticker.
    /// Errors: `{"code":2,"msg":"Invalid request: …"}` or `{"error":{"code":2,"msg":…}}`. A subscription to an unknown
    /// market is accepted but stays silent. The server ends a connection after 24 hours.
    /// https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
    static let binance = PushSource(
        address: "wss://stream.binance.com:9443/stream",
        request: { verb, markets in
            let (streams, id) = (list(markets.map(streamName)), verb == .subscribe ? "1" : unsubscription)
            return #"{"method":"\#(verb.rawValue.uppercased())","params":[\#(streams)],"id":\#(id)}"#
        },
        message: { json in
            if json["id"]?.number == unsubscription { return .accepted() }
            if let error = json["msg"]?.string ?? json["error"]?["msg"]?.string { return .refused(error) }
            // At the address of a raw stream, such as /ws/btcusdt@miniTicker, the ticker itself is the message.
            guard let data = json["data"] ?? (json["e"] == nil ? nil : json) else {
                return json["id"] == nil ? .other : .accepted()
            }
            let stream = json["stream"]?.string
            switch data["e"]?.string {
            case "serverShutdown": return .reconnect
            case "24hrMiniTicker":
                guard let market = data["s"]?.string else { return unreadable(stream) }
                if let stream, stream != streamName(market) {
                    return .unreadable(market: market, reason: "it came from the stream \(stream)")
                }
                return price(
                    "/c", as: .string, in: data, of: market, sequence: data["E"]?.number.flatMap(Int.init),
                    time: TimeField("/E", in: .milliseconds))
            default: return stream?.hasSuffix(streamSuffix) == true ? unreadable(stream) : .other
            }
        },
        lifetime: .seconds(23 * 60 * 60))
}

private func streamName(_ market: String) -> String {
    market.lowercased() + streamSuffix
}

/// The message for a ticker that cannot be read. Its market, if known, is taken from the name of the stream.
private func unreadable(_ stream: String?) -> PushSource.Message {
    let market = stream.flatMap { $0.hasSuffix(streamSuffix) ? $0.dropLast(streamSuffix.count) : nil }
    return .unreadable(
        market: market?.uppercased(),
        reason: stream.map { "it came from the stream \($0) and does not contain a readable ticker" }
            ?? "it names neither its stream nor its market")
}

private let streamSuffix = "@miniTicker"
/// The id of unsubscribe requests.
private let unsubscription = "2"
