import PipeCommon

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
        name: "bitstamp", most: 1000,
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
