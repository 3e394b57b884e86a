import PipeCommon

extension PriceSource {
    /// Kraken, ticker. `c` is the last trade: price and volume. Kraken calls bitcoin XBT and dogecoin XDG, and answers
    /// for older pairs under a longer name (`XXBTZUSD`, `ZEURZUSD`, `USDTZUSD`).
    ///
    ///     GET https://api.kraken.com/0/public/Ticker?pair=XBTUSD
    ///     {"error":[],"result":{"XXBTZUSD":{"c":["92066.90000","0.0010"],…}}}
    ///
    /// Several pairs: `pair=XBTUSD,ETHUSD`. One unknown pair fails all of it.
    ///
    /// Errors: a non-empty `error` with status 200: `{"error":["EQuery:Unknown asset pair"]}`.
    /// https://docs.kraken.com/api/docs/rest-api/get-ticker-information
    static let kraken = PriceSource(
        name: "kraken", quotes: QuoteCurrencies.usual, market: \.krakenMarket, shared: tickers,
        candles: .kraken
    ) { pair in
        "https://api.kraken.com/0/public/Ticker?pair=\(pair.krakenMarket)"
    } refusal: { _, answer in
        guard let error = answer["error"]?[0] else { return nil }
        let text = error.string ?? ""
        if text.hasPrefix("EQuery:Unknown asset") { return .unsupported }
        if outages.contains(where: text.hasPrefix) { return .network }
        return limits.contains { text.contains($0) } ? .rateLimited : .invalidData
    } price: { answer, pair throws(InvalidInput) in
        guard let result = answer["result"], result.members?.count == 1 else {
            throw InvalidInput("expected exactly one pair in the result")
        }
        guard let ticker = pair.krakenNames.compactMap({ result[$0] }).first else {
            throw InvalidInput("the result is not of \(pair.krakenMarket)")
        }
        return try ticker.price("/c/0", as: .string)
    }
}

private let tickers = SharedTicker(
    url: { "https://api.kraken.com/0/public/Ticker?pair=\($0.joined(separator: ","))" },
    names: \.krakenNames,
    tickers: { answer throws(InvalidInput) in
        guard let members = answer["result"]?.members else {
            throw InvalidInput("the answer has no result")
        }
        return members.map { ($0.name, $0.value) }
    },
    price: "/c/0")

/// The errors with which Kraken limits requests.
private let limits = ["Rate limit exceeded", "Too many requests", "Throttled", "Temporary lockout"]

/// The errors of an exchange that is down for a while.
private let outages = ["EService:Unavailable", "EService:Busy"]

extension CandleSource {
    /// Kraken, OHLC data: oldest first, the running one always last, and never more than it and the 720
    /// before it.
    ///
    ///     GET https://api.kraken.com/0/public/OHLC?pair=XBTUSD&interval=1440&since=1688584800
    ///     {"error":[],"result":{"XXBTZUSD":[[1688671200,"30306.1","30306.2","30305.7","30305.7","30306.1","3.39",23],…],
    ///     "last":1688672160}}
    ///
    /// A row has the time, open, high, low, close, average, volume and number of trades. `interval` is in minutes; `since`
    /// itself is excluded.
    /// https://docs.kraken.com/api/docs/rest-api/get-ohlc-data
    static let kraken = CandleSource(
        most: 721, hasOnlyLast: true,
        url: { pair, range in
            let since = range.first.milliseconds / 1000 - range.candle.seconds
            return "https://api.kraken.com/0/public/OHLC?pair=\(pair.krakenMarket)"
                + "&interval=\(range.candle.seconds / 60)&since=\(since)"
        },
        rows: { answer, pair throws(InvalidInput) in try pairRows(answer, of: pair) },
        time: TimeField("/0", in: .seconds),
        close: { row throws(InvalidInput) in try row.price("/4", as: .string) })
}

/// The candles of the only pair in the result, beside `last`.
private func pairRows(_ answer: JSON, of pair: TradingPair) throws(InvalidInput) -> [JSON]? {
    let result = answer["result"] ?? .null
    guard result.members?.count == (result["last"] == nil ? 1 : 2) else {
        throw InvalidInput("expected exactly one pair in the result")
    }
    guard let rows = pair.krakenNames.lazy.compactMap({ result[$0] }).first else {
        throw InvalidInput("the result is not of \(pair.krakenMarket)")
    }
    return rows.elements
}

extension TradingPair {
    /// The name of the pair there, as it is asked for.
    var krakenMarket: String {
        asset(base) + asset(currency.code)
    }

    /// Its names in answers: its own first, then those with Kraken's old prefixes, X for coins and Z for currencies. Only
    /// the left one may be X alone: ETHXUSD is the price of ETHX.
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
