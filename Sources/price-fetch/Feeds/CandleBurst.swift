import PipeCommon

/// Valid answers to candle requests. For one second, an answer can also be used for ticks that arrive slightly after
/// the ticks of its request. The ticks of a burst, such as the ticks for the candles of a chart, do not always arrive
/// together, for example because price-fallback tries another source first for some of them. Pure.
struct CandleBurst {
    private static let oldest = Duration.seconds(1)

    private struct Page {
        let market: Market
        let span: CandleSpan
        let answer: Plan.Answer
        let received: Deadline.Instant
    }

    private var pages: [Page] = []

    mutating func add(
        _ answer: @escaping Plan.Answer, of market: Market, _ span: CandleSpan, at now: Deadline.Instant
    ) {
        pages.append(Page(market: market, span: span, answer: answer, received: now))
    }

    /// An answer that may still be used and covers the given candle; nil if there is no such answer.
    mutating func answer(
        for market: Market, _ candle: Candle, from beginning: Timestamp, at now: Deadline.Instant
    ) -> Plan.Answer? {
        pages.removeAll { now - $0.received >= Self.oldest }
        return pages.first {
            $0.market == market && $0.span.candle == candle && $0.span.covers(beginning)
        }?.answer
    }
}

/// One HTTP request, and how to read quotes from the answer.
struct Plan {
    /// Returns the quote of a market, or of the market's candle that begins at the given time. Returns nil if an answer
    /// about several markets contains no usable price for this market. `isClosed` is true if the quote is the final
    /// close of a candle.
    typealias Answer = (Market, Timestamp) throws(FetchError) -> (quote: Quote, isClosed: Bool)?

    let markets: [Market]
    /// The requested candles; nil for a request for current prices.
    var span: CandleSpan?
    let request: Result<HTTPRequest, FetchError>
    /// - Throws: an error that concerns the whole answer.
    let read: (HTTPResponse, _ received: Timestamp) throws(FetchError) -> Answer
}

extension PriceSource {
    /// A request for the prices of one or more markets.
    func plan(for markets: [Market]) -> Plan {
        let shared = markets.count == 1 ? nil : shared
        let text = shared?.url(of: markets) ?? url(markets[0])
        let largestBody = shared?.largestBody ?? largestBody
        let request = Result { () throws(FetchError) in try self.request(text, largestBody) }
        return Plan(markets: markets, request: request) {
            (response, now) throws(FetchError) in
            let prices = try prices(of: markets, in: response, at: now)
            return { market, _ in prices[market].map { (quote($0, of: market, at: now), false) } }
        }
    }

    /// A request for candles of one market.
    func plan(for span: CandleSpan, of market: Market, from candles: CandleSource) -> Plan {
        let text = candles.url(market, span)
        let request = Result { () throws(FetchError) in try self.request(text, CandleSource.largestBody) }
        return Plan(markets: [market], span: span, request: request) { (response, now) throws(FetchError) in
            let page = try read(response, refusal, at: now) { (answer) throws(InvalidInput) in
                try CandlePage(
                    answer, of: market, span.candle, from: candles, received: now,
                    sent: response.date.flatMap(HTTPDate.time), age: response.age)
            }
            return { (market, beginning) throws(FetchError) in
                do throws(InvalidInput) {
                    let (close, range, time, isClosed) = try page.candle(of: beginning)
                    return (quote(close, of: market, at: time, range), isClosed)
                } catch {
                    throw .candle(.invalidData, error.reason)
                }
            }
        }
    }
}
