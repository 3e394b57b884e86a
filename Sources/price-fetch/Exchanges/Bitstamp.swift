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
    static let bitstamp = exchange(
        "bitstamp", quotes: QuoteCurrencies.usual, market: \.bitstampMarket,
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

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var bitstampMarket: String {
        "\(base)\(currency.code)".lowercased()
    }
}
