import PipeCommon

extension PriceSource {
    /// Bitstamp, ticker. The answer does not name its pair: the address alone does.
    ///
    ///     GET https://www.bitstamp.net/api/v2/ticker/btcusd/
    ///     {"last":"92066","timestamp":"1737685911",…}
    ///
    /// `timestamp` is the time of the answer, in seconds since 1970.
    /// Errors: for another pair status 404, or 200 with a list of all markets (80 KB in 2026); too many requests are
    /// status 400 with `{"response_code":"400.002",…}`.
    /// https://www.bitstamp.net/api/
    static let bitstamp = PriceSource(
        name: "bitstamp", quotes: QuoteCurrencies.usual, market: \.bitstampMarket, candles: .bitstamp,
        time: TimeField("/timestamp", in: .seconds), largestBody: 1024 * 1024
    ) { pair in
        "https://www.bitstamp.net/api/v2/ticker/\(pair.bitstampMarket)/"
    } refusal: { status, answer in
        if status == 404 || status == 200 && answer[0]?["pair"] != nil { return .unsupported }
        let code = answer["response_code"]
        return status == 400 && limits.contains(code?.string ?? code?.number ?? "") ? .rateLimited : nil
    } price: { answer, pair throws(InvalidInput) in
        if answer["pair"] != nil { try answer.expect("/pair", "\(pair.base)/\(pair.currency.code)") }
        return try answer.price("/last", as: .string)
    }
}

/// The codes with which Bitstamp limits requests.
private let limits: Set = ["400.002", "400.067", "400.068"]

extension CandleSource {
    /// Bitstamp, OHLC data: oldest first, the running one last.
    ///
    ///     GET https://www.bitstamp.net/api/v2/ohlc/btcusd/?step=86400&start=1593907200&end=1593993600&limit=2
    ///     {"data":{"pair":"BTC/USD","ohlc":[{"high":"9064.77","timestamp":"1593961440","volume":"18.49436608",
    ///     "low":"9040.87","close":"9064.77","open":"9040.87"},…]}}
    ///
    /// If it is given both `start` and `end`, it goes back from `end`, up to `limit` rows.
    /// Errors: status 404 for another pair.
    /// https://www.bitstamp.net/api/
    static let bitstamp = CandleSource(
        most: 1000,
        url: { pair, range in
            "https://www.bitstamp.net/api/v2/ohlc/\(pair.bitstampMarket)/?step=\(range.candle.seconds)"
                + "&start=\(range.first.milliseconds / 1000)&end=\(range.last.milliseconds / 1000)"
                + "&limit=\(range.count)"
        },
        rows: { answer, pair throws(InvalidInput) in
            try answer.expect("/data/pair", "\(pair.base)/\(pair.currency.code)")
            return answer["data"]?["ohlc"]?.elements
        },
        time: TimeField("/timestamp", in: .seconds),
        close: { row throws(InvalidInput) in try row.price("/close", as: .string) })
}

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var bitstampMarket: String {
        "\(base)\(currency.code)".lowercased()
    }
}
