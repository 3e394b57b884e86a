import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How ticks for candles are combined into requests, and how these ticks are answered. The clock is simulated; its
/// times are in milliseconds.
@Suite(.unit) struct CandleFeedTests {
    /// A feed with a simulated clock that starts at noon on 22 November.
    private final class Simulation {
        let client: HTTPClientStub
        let start = Deadline.Instant.now
        var time = Timestamp("2026-11-22T12:00:00.000Z")!
        var warnings: [String] = []
        private let exchange: CandlePayload
        private(set) lazy var sut = HTTPFeed(
            exchange.source, client: client, now: { [unowned self] in time }, reports: reports)
        private lazy var reports = Reports { [unowned self] in warnings.append($0) }
        private var ticks: [Int: Tick] = [:]

        init(_ exchange: CandlePayload, _ client: HTTPClientStub) {
            (self.exchange, self.client) = (exchange, client)
        }

        /// Sends all ticks at the same time.
        ///
        /// - Returns: the answers that follow immediately, by tick number.
        @discardableResult func ask(_ ticks: [Tick], at milliseconds: Int = 0) -> [Int: Reading] {
            for tick in ticks {
                self.ticks[tick.number!] = tick
                sut.ask(tick.number!, tick, at: start + .milliseconds(milliseconds))
            }
            return advance(at: milliseconds)
        }

        func advance(at milliseconds: Int = 0) -> [Int: Reading] {
            let now = start + .milliseconds(milliseconds)
            var readings: [Int: Reading] = [:]
            for answer in sut.advance([], at: now) {
                let tick = ticks[answer.id]!
                if case .failure(let error) = answer.quote {
                    reports.report(error, of: tick.subject, from: sut.name, at: now)
                }
                readings[answer.id] = Reading(answering: tick, answer, of: sut)
            }
            return readings
        }
    }

    private static let days: [CandlePayload.Row] = (18...22).map { ("2026-11-\($0)T00:00", "688\($0).5") }

    private func makeSUT(
        _ exchange: CandlePayload = .binance, _ rows: [CandlePayload.Row] = days
    ) -> Simulation {
        Simulation(exchange, HTTPClientStub(exchange.body(rows)))
    }

    private func day(_ day: Int, symbol: String? = nil) -> Tick {
        candleTick(day, at: "2026-11-\(day)T00:00", symbol: symbol)
    }

    private func prices(_ readings: [Int: Reading]) -> [Int: String] {
        readings.compactMapValues { $0.quote?.price.text }
    }

    @Test(arguments: zip(CandlePayload.allCases, ["BTCUSDT", "BTC-USD", "XBTUSD", "btcusd"]))
    func `ticks that arrive in a burst share a request`(exchange: CandlePayload, market: String) {
        let sut = makeSUT(exchange)
        let readings = sut.ask((18...22).map { day($0) })
        for number in 18...22 {
            let end = number == 22 ? sut.time : Timestamp("2026-11-\(number + 1)T00:00:00.000Z")!
            let quote = readings[number]?.quote
            #expect(quote?.price.text == "688\(number).5" && quote?.market?.text == market)
            #expect(quote?.timestamp == end && readings[number]?.isClosed == (number < 22))
        }
        #expect(sut.client.requests.count == 1 && sut.warnings == [])
    }

    @Test func `ticks in any order share one request, which begins with the oldest candle`() {
        let sut = makeSUT()
        #expect(sut.ask([day(22), day(19), day(20)]).count == 3)
        #expect(sut.client.urls.map { $0.hasSuffix("&startTime=1795046400000&limit=4") } == [true])
    }

    @Test func `ticks that arrive while a matching request is in progress wait for its answer`() {
        let sut = makeSUT()
        sut.client.isHolding = true
        // When more ticks arrive and only the ticks for daily candles of BTC-USD match the first tick's request
        let other = [day(21, symbol: "ETH-USD"), candleTick(1, at: "2026-11-22T00:00", .hour)]
        #expect(sut.ask([day(18)]).isEmpty && sut.ask([day(19), day(20), day(22)] + other, at: 5).isEmpty)
        // And one of the matching ticks times out
        _ = sut.sut.giveUp(20, day(20), after: .milliseconds(95))
        sut.client.isHolding = false
        let seen = prices(sut.advance(at: 100))
        #expect([18, 19, 20, 22].map { seen[$0] } == ["68818.5", "68819.5", nil, "68822.5"])
        #expect(sut.client.requests.count == 3)
    }

    @Test(arguments: [(999, 1), (1000, 2), (1001, 2)])
    func `an answer is reused for ticks that arrive less than a second later`(
        milliseconds: Int, requests: Int
    ) {
        let sut = makeSUT()
        sut.ask([day(18)])
        #expect(prices(sut.ask([day(19)], at: milliseconds)) == [19: "68819.5"])
        #expect(sut.client.requests.count == requests)
    }

    @Test func `a candle older than those in the last request is requested separately`() {
        let sut = makeSUT()
        sut.ask([day(20)])
        let other = [day(21, symbol: "ETH-USD"), candleTick(1, at: "2026-11-22T00:00", .hour)]
        #expect(prices(sut.ask([day(19)] + other, at: 5))[19] == "68819.5" && sut.client.requests.count == 4)
    }

    @Test(.fault(50)) func `each tick gets its own candle even if a request is in progress at midnight`() {
        // Given a request in progress at midnight
        let sut = makeSUT()
        sut.client.isHolding = true
        sut.time = Timestamp("2026-11-21T23:59:59.990Z")!
        sut.ask([day(20), day(21)])
        // When a tick requests the candle of the next day
        sut.time = Timestamp("2026-11-22T00:00:00.010Z")!
        sut.ask([day(22)], at: 20)
        sut.client.isHolding = false
        // Then a second request is sent, and the candle of the 21st does not count as closed yet
        let readings = sut.advance(at: 30)
        let quotes = readings.compactMapValues(\.quote)
        #expect(quotes.mapValues(\.price.text) == [20: "68820.5", 21: "68821.5", 22: "68822.5"])
        #expect(quotes[20]?.timestamp == Timestamp("2026-11-21T00:00:00.000Z"))
        #expect(quotes[21]?.timestamp == Timestamp("2026-11-22T00:00:00.000Z"))
        #expect(readings.mapValues(\.isClosed) == [20: true, 21: false, 22: false])
        #expect(quotes[22]?.timestamp == sut.time && sut.client.requests.count == 2)
    }

    @Test func `candles of different symbols or lengths are requested separately`() {
        let sut = makeSUT()
        let ether = candleTick(1, at: "2026-11-22T00:00", symbol: "ETH-USD")
        let hour = candleTick(2, at: "2026-11-22T11:00", .hour)
        sut.ask([day(22), ether, hour])
        for part in ["BTCUSDT&interval=1d", "ETHUSDT&interval=1d", "BTCUSDT&interval=1h"] {
            #expect(sut.client.urls.contains { $0.contains("symbol=\(part)") })
        }
        #expect(sut.client.requests.count == 3)
    }

    @Test func `more candles than fit into one answer are requested in parts`() {
        let today = Timestamp("2026-11-22T00:00:00.000Z")!
        let ticks = (0..<1000).map {
            Tick(number: $0, at: today + .seconds(-86_400 * (999 - $0)), candle: .day)
        }
        let rows = ticks.map { (String($0.at!.text.prefix(16)), "\($0.number! + 1).5") }
        let sut = makeSUT(.coinbase, rows.reversed())
        let readings = sut.ask(ticks)
        for tick in ticks {
            let quote = readings[tick.number!]?.quote
            #expect(quote?.price.text == "\(tick.number! + 1).5")
            #expect(quote?.timestamp == (tick.number == 999 ? sut.time : tick.at! + .seconds(86_400)))
        }
        #expect(sut.client.requests.count == 4)
        let first = "&start=2024-02-27T00:00:00.000Z&end=2024-12-22T00:00:01.000Z"
        #expect(sut.client.urls.first?.hasSuffix(first) == true)
    }

    @Test func `a tick for a candle that cannot be requested fails without affecting other ticks`() {
        let sut = makeSUT(.kraken)
        let old = candleTick(1, at: "2020-01-01T00:00")
        let odd = candleTick(2, at: "2026-11-21T07:00")
        let readings = sut.ask([old, odd, day(21)])
        let tooOld = "the candle of 2020-01-01 is too old: only the last 721 can be requested"
        let refusal = Failure(source: "kraken", kind: .unsupported, message: tooOld)
        #expect(readings[1]?.failures == [refusal])
        #expect(readings[2]?.failures.map(\.kind) == [.unsupported])
        #expect(prices(readings) == [21: "68821.5"] && sut.client.requests.count == 1)
    }

    @Test(.fault(50)) func `if an answer lacks a candle, only the tick for that candle fails`() {
        let sut = makeSUT(.coinbase, Self.days.filter { !$0.at.hasPrefix("2026-11-19") })
        let readings = sut.ask((18...20).map { day($0) })
        let hole = Failure(source: "coinbase", kind: .invalidData, message: "no candle for 2026-11-19")
        #expect(readings[19] == Reading(answering: day(19), [hole]))
        #expect(prices(readings) == [18: "68818.5", 20: "68820.5"] && sut.warnings == [])
    }

    @Test func `if an answer is invalid, one warning is printed, and every waiting tick fails`() {
        let sut = makeSUT(.kraken)
        sut.client.reply(CandlePayload.kraken.body([], pair: "XETHZUSD"))
        let readings = sut.ask((18...20).map { day($0) })
        #expect(readings.values.allSatisfy { $0.failures.map(\.message) == ["the result is not for XBTUSD"] })
        #expect(readings.count == 3)
        #expect(sut.warnings == ["kraken: BTC-USD 1d candles: the result is not for XBTUSD"])
    }

    @Test func `after a 404, candles of the same pair and length are not requested for a minute`() {
        let sut = makeSUT(.coinbase)
        sut.client.reply(status: 404, #"{"message":"NotFound"}"#)
        let refusal = Failure(
            source: "coinbase", kind: .unsupported, message: "status 404: NotFound", retry: .seconds(60))
        #expect(sut.ask([day(21)])[21]?.failures == [refusal])
        #expect(sut.warnings == ["coinbase: BTC-USD 1d candles are not supported: status 404: NotFound"])
        #expect(sut.ask([day(22)], at: 59_999)[22]?.failures.map(\.kind) == [.unsupported])
        #expect(sut.client.requests.count == 1)
        // Requests for the price, for other candle lengths and for other symbols are not affected.
        let price = Tick(number: 3, symbol: .bitcoin)
        sut.ask(
            [candleTick(1, at: "2026-11-22T11:00", .hour), day(20, symbol: "ETH-USD"), price], at: 59_999)
        #expect(sut.client.requests.count == 4)
        sut.ask([day(22)], at: 60_000)
        #expect(sut.client.requests.count == 5)
    }

    @Test(.fault(13)) func `after a 429, nothing is requested until the time in Retry-After has passed`() {
        let sut = makeSUT()
        sut.client.reply(status: 429, retryAfter: "7")
        // When the number of requested symbols exceeds the number of requests that may be in progress
        let first = sut.ask((0..<20).map { candleTick($0, at: "2026-11-21T00:00", symbol: "S\($0)-USD") })
        #expect(first.count == 20 && first.values.allSatisfy { $0.failures.map(\.kind) == [.rateLimited] })
        let readings = sut.ask([day(21, symbol: "ETH-USD"), Tick(number: 1)], at: 6999)
        #expect(readings.values.map { $0.failures.map(\.kind) } == [[.rateLimited], [.rateLimited]])
        #expect(sut.client.requests.count == 8)
        sut.ask([day(21)], at: 7000)
        #expect(sut.client.requests.count == 9)
    }

    @Test func `a tick for the price and a tick for a candle each get their own answer`() {
        let sut = makeSUT()
        sut.client.answer = { [candles = sut.client.answer] request in
            request.url.text.contains("klines")
                ? candles(request) : .answer(Payload.binance)
        }
        let readings = sut.ask([Tick(number: 1), day(20)])
        #expect(readings.mapValues(\.candle) == [1: nil, 20: .day])
        #expect(prices(readings) == [1: "114721.34000000", 20: "68820.5"])
    }

    @Test func `a request is canceled when the last of its ticks times out`() {
        let sut = makeSUT()
        sut.client.isHolding = true
        sut.ask([day(18)])
        sut.ask([day(19)], at: 5)
        let late = sut.sut.giveUp(18, day(18), after: .milliseconds(800))
        #expect(late.failures.map(\.message) == ["no answer within 800 ms"] && sut.client.givenUp == [])
        _ = sut.sut.giveUp(19, day(19), after: .milliseconds(800))
        #expect(sut.client.givenUp.count == 1 && sut.sut.nextDeadline == nil)
    }

    @Test func `at most eight requests for candles are in progress at a time`() {
        let sut = makeSUT()
        sut.client.isHolding = true
        let ticks = (0..<20).map { candleTick($0, at: "2026-11-21T00:00", symbol: "S\($0)-USD") }
        for ticks in [ticks, [Tick(number: 20)]] { sut.ask(ticks) }
        // The request for a price does not wait.
        #expect(sut.client.requests.count == 9 && sut.sut.nextDeadline == nil)
        // If a tick times out while its request waits, this request is never sent.
        _ = sut.sut.giveUp(19, ticks[19], after: .milliseconds(800))
        sut.client.isHolding = false
        var answered = 0
        repeat { answered += sut.advance().count } while sut.sut.nextDeadline?.hasPassed() == true
        #expect(answered == 20 && sut.client.requests.count == 20)
    }
}
