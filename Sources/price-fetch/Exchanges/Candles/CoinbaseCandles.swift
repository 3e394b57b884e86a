import PipeCommon

extension CandleSource {
    /// Coinbase Exchange, product candles: newest first, and none for a time without trades. The answer does not name its
    /// pair, and its prices are JSON numbers.
    ///
    ///     GET https://api.exchange.coinbase.com/products/BTC-EUR/candles?granularity=86400&start=…&end=…
    ///     [[1591514160,0.02507,0.02507,0.02507,0.02507,0.02816506],…]
    ///
    /// A row has the time, low, high, open, close and volume. `start` and `end` are both included, in seconds since 1970 or
    /// as RFC 3339; rows may precede `start`.
    /// Errors: status 404 with `{"message":"NotFound"}` for another pair.
    /// https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-candles
    static let coinbase = CandleSource(
        name: "coinbase", most: 300,
        url: { pair, range in
            "https://api.exchange.coinbase.com/products/\(pair.coinbaseMarket)/candles"
                + "?granularity=\(range.candle.seconds)&start=\(range.first.text)&end=\((range.last + .seconds(1)).text)"
        },
        rows: { answer, _ in answer.elements },
        time: TimeField("/0", in: .seconds),
        close: { row throws(InvalidInput) in try row.price("/4", as: .number) })
}
