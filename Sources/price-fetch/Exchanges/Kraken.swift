import PipeCommon

extension PriceSource {
    /// Kraken, ticker. `c` contains the price and the volume of the last trade. Over HTTP, Kraken calls bitcoin XBT and
    /// dogecoin XDG. In its answers, older pairs have longer names (`XXBTZUSD`, `ZEURZUSD`, `USDTZUSD`).
    ///
    ///     GET https://api.kraken.com/0/public/Ticker?pair=XBTUSD
    ///     {"error":[],"result":{"XXBTZUSD":{"c":["92066.90000","0.0010"],…}}}
    ///
    /// `pair=XBTUSD,ETHUSD` requests several pairs. One unknown pair makes the whole request fail.
    ///
    /// Errors: a non-empty `error`, usually with status 200: `{"error":["EQuery:Unknown asset pair"]}`.
    /// https://docs.kraken.com/api/docs/rest-api/get-ticker-information
    /// Rate limit: https://docs.kraken.com/api/docs/guides/spot-rest-ratelimits
    static let kraken = PriceSource(
        name: "kraken", quotes: QuoteCurrencies.usual, market: { asset($0.base) + asset($0.currency.code) },
        limit: RateLimit(interval: .seconds(1), burst: 1, words: "1 request per second"),
        shared: tickers,
        candles: .kraken, push: .kraken,
        url: { market in
            "https://api.kraken.com/0/public/Ticker?pair=\(market.name)"
        },
        refusal: { status, answer in
            guard let error = answer["error"]?[0] else { return nil }
            let text = error.string ?? ""
            if unknownPairs.contains(where: text.hasPrefix) { return .unsupported }
            if outages.contains(where: text.hasPrefix) { return .network }
            if limits.contains(where: text.contains) { return .rateLimited }
            return status == 200 ? .invalidData : nil
        },
        price: { answer, market throws(InvalidInput) in
            guard let result = answer["result"], result.members?.count == 1 else {
                throw InvalidInput("the result does not contain exactly one pair")
            }
            guard let ticker = market.pair.krakenNames.compactMap({ result[$0] }).first else {
                throw InvalidInput("the result is not for \(market.name)")
            }
            return try ticker.price("/c/0", as: .string)
        })
}

private let tickers = SharedTicker(
    url: { "https://api.kraken.com/0/public/Ticker?pair=\($0.joined(separator: ","))" },
    names: \.pair.krakenNames,
    tickers: { answer throws(InvalidInput) in
        guard let members = answer["result"]?.members else {
            throw InvalidInput("the answer contains no result")
        }
        return members.map { ($0.name, $0.value) }
    },
    price: "/c/0")

/// The beginnings of the error texts with which Kraken rejects pairs that it does not offer.
private let unknownPairs = ["EQuery:Unknown asset", "EQuery:Invalid asset"]
/// Parts of the error texts with which Kraken rejects requests because of a rate limit or a lockout.
private let limits = ["Rate limit exceeded", "Too many requests", "Throttled", "Temporary lockout"]

/// The beginnings of the error texts that show that Kraken is temporarily down.
private let outages = ["EService:Unavailable", "EService:Busy"]

extension CandleSource {
    /// Kraken, OHLC data. The oldest candle comes first. The last row is always the open candle; at most 720 rows
    /// precede it.
    ///
    ///     GET https://api.kraken.com/0/public/OHLC?pair=XBTUSD&interval=1&since=1688671140
    ///     {"error":[],"result":{"XXBTZUSD":[[1688671200,"30306.1","30306.2","30305.7","30305.7","30306.1","3.39",23],…],
    ///     "last":1688672160}}
    ///
    /// A row contains the time, open, high, low, close, average, volume and number of trades. `interval` is in minutes.
    /// `since` is exclusive and is given in seconds since 1970.
    /// https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
    static let kraken = CandleSource(
        most: 721, last: 721,
        url: { market, range in
            let since = range.first.milliseconds / 1000 - range.candle.seconds
            return "https://api.kraken.com/0/public/OHLC?pair=\(market.name)"
                + "&interval=\(range.candle.seconds / 60)&since=\(since)"
        },
        rows: { answer, market throws(InvalidInput) in try candleRows(answer, of: market) },
        time: TimeField("/0", in: .seconds),
        fields: CandleFields(
            open: "/1", high: "/2", low: "/3", close: "/4", volume: "/6", as: .string))
}

/// The rows of the only pair in the result, which may also contain the member `last`.
private func candleRows(_ answer: JSON, of market: Market) throws(InvalidInput) -> [JSON]? {
    let result = answer["result"] ?? .null
    guard result.members?.count == (result["last"] == nil ? 1 : 2) else {
        throw InvalidInput("the result does not contain exactly one pair")
    }
    guard let rows = market.pair.krakenNames.lazy.compactMap({ result[$0] }).first else {
        throw InvalidInput("the result is not for \(market.name)")
    }
    return rows.elements
}

extension PushSource {
    /// Kraken, tickers (version 2 of the push feed). The feed sends a snapshot, then an update for every trade, and
    /// heartbeats while it is quiet. Prices are JSON numbers.
    ///
    ///     wss://ws.kraken.com/v2
    ///     {"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]}}
    ///     {"method":"subscribe","result":{"channel":"ticker","snapshot":true,"symbol":"BTC/USD"},"success":true,…}
    ///     {"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":92066.9,…}]}
    ///     {"channel":"heartbeat"}
    ///     {"channel":"status","type":"update","data":[{"system":"online",…}]}
    ///     {"method":"unsubscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true,…}
    ///
    /// `timestamp`, which tickers have contained since 2025, is the time of the ticker's last change. `system` can
    /// also be `maintenance`, `cancel_only` or `post_only`.
    /// Errors: `{"method":"subscribe","success":false,"error":"Currency pair not supported BTC/XYZ","symbol":"BTC/XYZ"}`.
    /// https://docs.kraken.com/api/docs/websocket-v2/ticker
    static let kraken = PushSource(
        address: "wss://ws.kraken.com/v2",
        name: { "\($0.base)/\($0.currency.code)" },
        request: { #"{"method":"\#($0)","params":{"channel":"ticker","symbol":[\#(list($1))]}}"# },
        message: { json in
            if let method = json["method"]?.string { return answer(method, json) }
            switch json["channel"]?.string {
            case "heartbeat": return .heartbeat
            case "ticker": return .several((json["data"]?.elements ?? [json["data"] ?? .null]).map(ticker))
            case "status":
                let system = json["data"]?[0]?["system"]?.string ?? "online"
                return system == "online" ? .other : .halted("the exchange's state is \(system)")
            default: return .other
            }
        },
        oldestPrice: .seconds(600))
}

private func ticker(_ json: JSON) -> PushSource.Message {
    guard let market = json["symbol"]?.string else {
        return .unreadable(market: nil, reason: "a ticker without a symbol")
    }
    return PushSource.price(
        "/last", as: .number, in: json, of: market, time: TimeField("/timestamp", in: .rfc3339))
}

private func answer(_ method: String, _ json: JSON) -> PushSource.Message {
    let market = json["result"]?["symbol"]?.string ?? json["symbol"]?.string
    switch method {
    case "subscribe":
        guard let error = json["error"]?.string else { return .accepted(market: market) }
        if error.lowercased().contains("already subscribed") { return .accepted(market: market) }
        return .refused([error, market].compactMap(\.self).joined(separator: " "))
    case "unsubscribe": return market.map { .ended(market: $0) } ?? .accepted()
    default: return .other
    }
}

extension TradingPair {
    /// The possible names of the pair in answers: first the name that requests use, then the names with Kraken's old
    /// prefixes, X for coins and Z for fiat money, as in XETHZUSD. The currency gets the prefix X only if the base also
    /// has a prefix. Without this rule, ETHXUSD, which means ETHX priced in USD, would match ETH-USD.
    var krakenNames: [String] {
        let prefixes = ["", "X", "Z"]
        return prefixes.flatMap { first in
            prefixes.filter { first != "" || $0 != "X" }
                .map { first + asset(base) + $0 + asset(currency.code) }
        }
    }
}

private func asset(_ name: String) -> String {
    ["BTC": "XBT", "DOGE": "XDG"][name] ?? name
}
