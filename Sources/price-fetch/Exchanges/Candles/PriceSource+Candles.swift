import PipeCommon

extension PriceSource {
    /// The candles in an answer, received now.
    ///
    /// - Throws: the refusal that the answer is, or what is wrong with its body.
    func candlePage(
        _ candle: Candle, of symbol: Symbol, from candles: CandleSource, in response: HTTPResponse,
        at now: Timestamp
    ) throws(FetchError) -> CandlePage {
        try read(response, at: now) { (answer) throws(InvalidInput) in
            let table = try CandleTable(answer, of: TradingPair(symbol), candle, from: candles)
            let sent = response.date.flatMap(HTTPDate.time)
            return CandlePage(table: table, received: now, sent: sent, age: response.age)
        }
    }

    /// The closing price of a candle.
    func quote(of symbol: Symbol, from beginning: Timestamp, in page: CandlePage) throws(FetchError) -> Quote
    {
        do throws(InvalidInput) {
            let (price, timestamp) = try page.close(of: beginning)
            return Quote(
                price: price, currency: symbol.currency, timestamp: timestamp, market: market(symbol))
        } catch {
            throw FetchError(error)
        }
    }
}
