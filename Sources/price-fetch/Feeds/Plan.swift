import PipeCommon

/// One HTTP request, and how to read the quotes for its ticks from the answer.
struct Plan {
    /// The quote of a pair, or of its candle that begins at a time; nil if the answer has none for that pair.
    typealias Answer = (TradingPair, Timestamp) throws(FetchError) -> Quote?

    let pairs: [TradingPair]
    /// Nil for a request for current prices.
    var range: CandleRange?
    /// A parameter of the request that the host may not know.
    var parameter: NewParameter?
    let request: Result<HTTPRequest, FetchError>
    /// - Throws: an error that concerns the whole answer.
    let read: (HTTPResponse, _ received: Timestamp) throws(FetchError) -> Answer
}

extension PriceSource {
    /// A request for the price of one pair or of several.
    func plan(for pairs: [TradingPair]) -> Plan {
        let text = (pairs.count == 1 ? url(pairs[0]) : shared?.url(of: pairs) ?? "") + (parameter?.text ?? "")
        let request = Result { () throws(FetchError) in try self.request(text, largestBody) }
        return Plan(pairs: pairs, parameter: parameter, request: request) {
            (response, now) throws(FetchError) in
            let prices = try prices(of: pairs, in: response, at: now)
            return { pair, _ in prices[pair].map { quote($0, of: pair, at: now) } }
        }
    }

    /// A request for candles of one pair.
    func plan(for range: CandleRange, of pair: TradingPair, from candles: CandleSource) -> Plan {
        let text = candles.url(pair, range)
        let request = Result { () throws(FetchError) in try self.request(text, CandleSource.largestBody) }
        return Plan(pairs: [pair], range: range, request: request) { (response, now) throws(FetchError) in
            let page = try read(response, at: now) { (answer) throws(InvalidInput) in
                try CandlePage(
                    answer, of: pair, range.candle, from: candles, received: now,
                    sent: response.date.flatMap(HTTPDate.time), age: response.age)
            }
            return { (pair, beginning) throws(FetchError) in
                do throws(InvalidInput) {
                    let (price, time) = try page.close(of: beginning)
                    return quote(price, of: pair, at: time)
                } catch {
                    throw FetchError(error)
                }
            }
        }
    }
}
