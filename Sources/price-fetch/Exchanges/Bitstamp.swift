import PipeCommon

extension PriceSource {
    /// Bitstamp, ticker. The answer does not name its pair: the address alone does.
    ///
    ///     GET https://www.bitstamp.net/api/v2/ticker/btcusd/
    ///     {"last":"92066","timestamp":"1737685911",…}
    ///
    /// `timestamp` is the time of the answer, in seconds since 1970.
    /// Errors: status 404 for another pair.
    /// https://www.bitstamp.net/api/
    static let bitstamp = exchange("bitstamp", market: \.bitstampMarket, time: "/timestamp") { pair in
        "https://www.bitstamp.net/api/v2/ticker/\(pair.bitstampMarket)/"
    } price: { answer, _ throws(InvalidInput) in
        try answer.price("/last", as: .string)
    }
}

extension TradingPair {
    /// The name of the pair there, in answers and in the push feed.
    var bitstampMarket: String {
        "\(base)\(currency.code)".lowercased()
    }
}
