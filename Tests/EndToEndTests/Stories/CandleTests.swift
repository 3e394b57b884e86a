import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The built programs request candles from exchanges on loopback, and the requests are counted.
@Suite(.endToEnd) struct CandleTests {
    private static let today = Candle.day.beginning(of: .now())

    private static func day(_ ago: Int) -> Timestamp { today + .seconds(-86_400 * ago) }

    /// An exchange's rows for the last 40 days. Each price is 1000.50 plus the row's age in days. Coinbase
    /// returns the newest row first; the other exchanges return it last.
    private static func rows(_ exchange: CandlePayload) -> [CandlePayload.Row] {
        let rows = (0..<40).map { (String(day($0).text.prefix(16)), "\(1000 + $0).50") }
        return exchange == .coinbase ? rows : rows.reversed()
    }

    private static func ticks(_ ago: [Int]) -> [Tick] {
        ago.enumerated().map { Tick(number: $0, at: day($1), candle: .day) }
    }

    private func lines(_ ticks: [Tick]) -> String {
        ticks.map { $0.text + "\n" }.joined()
    }

    /// The body of an exchange's answer, padded with spaces to the given size in bytes.
    private func padded(_ exchange: CandlePayload, to size: Int) -> String {
        let body = exchange.body(Self.rows(exchange))
        return body + String(repeating: " ", count: size - body.utf8.count)
    }

    @Test(arguments: CandlePayload.allCases)
    func `a single request returns the candles of today and of the last 31 days`(
        exchange: CandlePayload
    ) throws {
        let server = StubServer(.ok(exchange.body(Self.rows(exchange))))
        let ticks = Self.ticks((0..<32).reversed())
        let result = RunningProgram.run(
            "price-fallback",
            [
                "--timeout", "9s", "--budget", "10s",
                "price-fetch --timeout 9s --base \(server.url("")) \(exchange.rawValue)",
            ],
            input: lines(ticks))
        let readings = try result.readings()
        #expect(result.status == 0 && result.errors == "" && server.requests.count == 1)
        #expect(readings.map(\.tick) == Array(0..<32) && readings.map(\.at) == ticks.map(\.at))
        #expect(readings.allSatisfy { $0.candle == .day && $0.source == exchange.rawValue })
        #expect(readings.map { $0.quote?.price.text } == (0..<32).reversed().map { "\(1000 + $0).50" })
        #expect(readings.dropLast().map { $0.quote?.timestamp } == (0..<31).reversed().map { Self.day($0) })
        #expect(try #require(readings.last?.quote).timestamp > Self.today)
    }

    @Test func `ticks for candles share one request, even if the ticks arrive one by one`() throws {
        let exchange = CandlePayload.coinbase
        let server = StubServer(.ok(exchange.body(Self.rows(exchange))).after(.milliseconds(300)))
        let running = RunningProgram(
            "price-fetch", ["--timeout", "9s", "--base", server.url(""), "coinbase"])
        let ticks = Self.ticks([2, 1, 0])
        for tick in ticks.dropLast() {
            running.write(lines([tick]))
            running.wait(.milliseconds(20))
        }
        for _ in 0..<2 { #expect(try running.nextReading().quote != nil) }
        running.write(lines(ticks.suffix(1)))
        #expect(try running.nextReading().quote?.price.text == "1000.50")
        #expect(server.requests.count == 1)
    }

    @Test func `a slow answer with candles does not delay the answer to a tick that requests a price`() throws
    {
        let server = StubServer { request in
            request.path.contains("klines")
                ? .ok(CandlePayload.binance.body(Self.rows(.binance))).after(.milliseconds(400))
                : .ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#)
        }
        let fetch = "price-fetch --timeout 9s --base \(server.url("")) binance"
        let running = RunningProgram("price-fallback", ["--timeout", "9s", "--budget", "10s", fetch])
        running.write(lines(Self.ticks([1])) + #"{"tick":0}"# + "\n")
        let (first, second) = try (running.nextReading(), running.nextReading())
        #expect(first.candle == nil && first.quote?.price.text == "68901.23")
        #expect(second.candle == .day && second.quote?.price.text == "1001.50")
    }

    @Test func `if the primary provides prices but not candles, the candles are requested from the fallback`()
        throws
    {
        let prices = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))
        let candles = StubServer(.ok(CandlePayload.kraken.body(Self.rows(.kraken))))
        let running = RunningProgram(
            "price-fallback",
            [
                "--timeout", "9s", "--budget", "10s", "price-fetch --url \(prices.url()) binance",
                "price-fetch --timeout 9s --base \(candles.url("")) kraken",
            ])
        running.write(lines(Self.ticks([3])))
        let rescued = try running.nextReading()
        #expect(rescued.source == "kraken" && rescued.quote?.price.text == "1003.50")
        #expect(rescued.failures.map(\.message) == ["does not provide candles with --url"])
        #expect(try running.answer(to: 7).source == "binance")
        let warning = "price-fetch: warning: binance: does not provide candles with --url (see --list)\n"
        #expect(running.errors.contains(warning))
        #expect(prices.requests.count == 1 && candles.requests.count == 1)
    }

    @Test(.fault(50), arguments: [(1 << 20, 65_000, nil), (1 << 20 | 1, 9, 1024), (9999, 1 << 16, 64)])
    func `an answer is limited to 1 MiB and its headers to 64 KiB`(size: Int, head: Int, limit: Int?) throws {
        let padding = "X-Padding: \(String(repeating: "x", count: head))"
        let server = StubServer(.ok(Array(padded(.bitstamp, to: size).utf8), headers: [padding]))
        let running = RunningProgram(
            "price-fetch", ["--timeout", "9s", "--base", server.url(""), "bitstamp"])
        running.write(lines(Self.ticks([1])))
        let reading = try running.nextReading()
        #expect(reading.quote?.price.text == (limit == nil ? "1001.50" : nil))
        #expect(reading.failures.first?.message == limit.map { "the answer is larger than \($0) KiB" })
    }
}
