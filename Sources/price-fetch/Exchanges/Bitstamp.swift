import PipeCommon

extension PriceSource {
    /// Bitstamp, ticker. The pair is in the URL, but not in every answer.
    ///
    ///     GET https://www.bitstamp.net/api/v2/ticker/btcusd/
    ///     {"last":"92066","timestamp":"1737685911",…}
    ///
    /// `timestamp` is the time of the answer, in seconds since 1970.
    /// Errors: for an unknown pair, status 404, or status 200 with a list of all markets (80 KB in 2026); for too many
    /// requests, status 400 with, for example, `{"response_code":"400.002",…}`.
    /// https://www.bitstamp.net/api/ (also documents the rate limit)
    ///
    /// `GET /api/v2/ticker/` returns a list of the tickers of all markets. Each ticker in the list also contains its
    /// pair, for example `"pair":"BTC/USD"`.
    static let bitstamp = PriceSource(
        name: "bitstamp", quotes: QuoteCurrencies.usual,
        market: { "\($0.base)\($0.currency.code)".lowercased() },
        limit: RateLimit(interval: .milliseconds(62), burst: 200, words: "10,000 requests in 10 minutes"),
        shared: SharedTicker(
            fewest: 10, most: .max,
            url: { _ in "https://www.bitstamp.net/api/v2/ticker/" },
            names: { ["\($0.base)/\($0.currency.code)"] },
            tickers: { answer throws(InvalidInput) in try answer.tickers("", name: "pair") },
            price: "/last", time: TimeField("/timestamp", in: .seconds), refusal: isLimited),
        candles: .bitstamp,
        push: .bitstamp, time: TimeField("/timestamp", in: .seconds), largestBody: 1024 * 1024,
        url: { market in
            "https://www.bitstamp.net/api/v2/ticker/\(market.name)/"
        },
        refusal: { status, answer in
            let isUnknown = status == 404 || status == 200 && answer[0]?["pair"] != nil
            return isUnknown ? .unsupported : isLimited(status, answer)
        },
        price: { answer, market throws(InvalidInput) in
            if answer["pair"] != nil { try answer.expect("/pair", "\(market.base)/\(market.currency.code)") }
            return try answer.price("/last", as: .string)
        })
}

@Sendable private func isLimited(_ status: Int, _ answer: JSON) -> Failure.Kind? {
    let code = answer["response_code"]
    return status == 400 && limits.contains(code?.string ?? code?.number) ? .rateLimited : nil
}

/// The codes with which Bitstamp rejects requests that exceed a rate limit.
private let limits: [String?] = ["400.002", "400.067", "400.068"]

extension CandleSource {
    /// Bitstamp, OHLC data. The oldest candle comes first and the newest candle last.
    ///
    ///     GET https://www.bitstamp.net/api/v2/ohlc/btcusd/?step=60&start=1593961440&end=1593961500&limit=2
    ///     {"data":{"pair":"BTC/USD","ohlc":[{"high":"9064.77","timestamp":"1593961440","volume":"18.49436608",
    ///     "low":"9040.87","close":"9064.77","open":"9040.87"},…]}}
    ///
    /// With both `start` and `end`, the answer contains up to `limit` rows, counted back from `end`.
    /// Errors: status 404 for an unknown pair.
    /// https://www.bitstamp.net/api/
    static let bitstamp = CandleSource(
        most: 1000,
        url: { market, range in
            "https://www.bitstamp.net/api/v2/ohlc/\(market.name)/?step=\(range.candle.seconds)"
                + "&start=\(range.first.milliseconds / 1000)&end=\(range.last.milliseconds / 1000)"
                + "&limit=\(range.count)"
        },
        rows: { answer, market throws(InvalidInput) in
            try answer.expect("/data/pair", "\(market.base)/\(market.currency.code)")
            return answer["data"]?["ohlc"]?.elements
        },
        time: TimeField("/timestamp", in: .seconds),
        fields: CandleFields(
            open: "/open", high: "/high", low: "/low", close: "/close", volume: "/volume", as: .string))
}

extension PushSource {
    /// Bitstamp, live trades. After a subscription, the first price arrives with the market's next trade. While the
    /// market is quiet, heartbeats prove that the feed is alive. Heartbeats are sent only on request.
    ///
    ///     wss://ws.bitstamp.net
    ///     {"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}
    ///     {"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}
    ///     {"data":{"timestamp":"1641343699","price_str":"46805.44","microtimestamp":"1641343699596000",…},"channel":"live_trades_btcusd","event":"trade"}
    ///
    /// A subscription to an unknown market is accepted but stays silent. Errors do not name the market:
    /// `{"event":"bts:error","channel":"","data":{"code":null,"message":"…"}}`. The event `bts:request_reconnect` asks
    /// us to reconnect. https://www.bitstamp.net/websocket/v2/
    static let bitstamp = PushSource(
        address: "wss://ws.bitstamp.net",
        request: { #"{"event":"bts:\#($0)","data":{"channel":"\#(channel)\#($1[0])"}}"# },
        message: { json in
            switch json["event"]?.string {
            case "bts:subscription_succeeded": return .accepted(market: tradedMarket(json))
            case "bts:unsubscription_succeeded":
                return tradedMarket(json).map { .ended(market: $0) } ?? .accepted()
            case "bts:heartbeat": return .heartbeat
            case "bts:error":
                return .refused(json["data"]?["message"]?.string)
            case "bts:request_reconnect": return .reconnect
            case "trade":
                guard let market = tradedMarket(json), let data = json["data"] else {
                    return .unreadable(
                        market: tradedMarket(json),
                        reason: json["channel"]?.string.map { "a trade of \($0)" }
                            ?? "a trade without a channel")
                }
                return price(
                    "/price_str", as: .string, in: data, of: market,
                    sequence: data["microtimestamp"]?.string.flatMap(Int.init),
                    time: TimeField("/microtimestamp", in: .microseconds))
            default: return .other
            }
        },
        heartbeat: Heartbeat(request: #"{"event":"bts:heartbeat"}"#),
        needsOwnMessages: true)
}

private func tradedMarket(_ json: JSON) -> String? {
    json["channel"]?.string.flatMap { $0.hasPrefix(channel) ? String($0.dropFirst(channel.count)) : nil }
}

private let channel = "live_trades_"
