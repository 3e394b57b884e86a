import PipeCommon

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
        name: "kraken", most: 721, hasOnlyLast: true,
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
    guard result.children.count == (result["last"] == nil ? 1 : 2) else {
        throw InvalidInput("expected exactly one pair in the result")
    }
    guard let rows = pair.krakenNames.lazy.compactMap({ result[$0] }).first else {
        throw InvalidInput("the result is not of \(pair.krakenMarket)")
    }
    return rows.elements
}
