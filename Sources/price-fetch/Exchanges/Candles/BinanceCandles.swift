import PipeCommon

extension CandleSource {
    /// Binance, klines: oldest first, the running one last, the time in milliseconds. The answer does not name its pair.
    ///
    ///     GET https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=1499040000000&limit=32
    ///     [[1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499126399999,…],…]
    ///
    /// A row has the time, open, high, low, close, volume, and the last millisecond.
    /// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
    static let binance = CandleSource(
        name: "binance", most: 1000,
        url: { pair, range in
            "https://api.binance.com/api/v3/klines?symbol=\(pair.binanceMarket)"
                + "&interval=\(range.candle.rawValue)&startTime=\(range.first.milliseconds)&limit=\(range.count)"
        },
        rows: { answer, _ in answer.elements },
        time: TimeField("/0", in: .milliseconds), end: TimeField("/6", in: .milliseconds),
        close: { row throws(InvalidInput) in try row.price("/4", as: .string) })
}
