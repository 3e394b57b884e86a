import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The URLs of requests for candles, and the candles that are rejected without a request.
@Suite(.unit) struct CandleRequestTests {
    private let now = Timestamp("2026-11-22T14:03:07.412Z")!
    private let exchanges = [PriceSource.binance, .coinbase, .kraken, .bitstamp]

    private func url(
        _ source: PriceSource, _ candle: Candle, from first: String, symbol: String = "BTC-USD"
    ) throws -> String {
        try request(source, candle, from: first, symbol: symbol).url.text
    }

    private func request(
        _ source: PriceSource, _ candle: Candle, from first: String, symbol: String = "BTC-USD"
    ) throws -> HTTPRequest {
        let candles = try #require(source.candles)
        let span = candles.span(candle, from: Timestamp("\(first):00.000Z")!, at: now)
        return try source.plan(for: span, of: source.market(of: Symbol(symbol)!), from: candles).request.get()
    }

    @Test(arguments: [
        (
            PriceSource.binance,
            "https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=1792627200000&limit=32"
        ),
        (
            .coinbase,
            "https://api.exchange.coinbase.com/products/BTC-USD/candles?granularity=86400"
                + "&start=2026-10-22T00:00:00.000Z&end=2026-11-22T00:00:01.000Z"
        ),
        (.kraken, "https://api.kraken.com/0/public/OHLC?pair=XBTUSD&interval=1440&since=1792540800"),
        (
            .bitstamp,
            "https://www.bitstamp.net/api/v2/ohlc/btcusd/?step=86400&start=1792627200&end=1795305600&limit=32"
        ),
    ])
    func `31 days and today need one request`(source: PriceSource, address: String) throws {
        #expect(try url(source, .day, from: "2026-10-22T00:00") == address)
    }

    @Test(arguments: [
        (PriceSource.binance, "&interval=1h&startTime=1795356000000&limit=1"),
        (.coinbase, "?granularity=3600&start=2026-11-22T14:00:00.000Z&end=2026-11-22T14:00:01.000Z"),
        (.kraken, "&interval=60&since=1795352400"),
        (.bitstamp, "?step=3600&start=1795356000&end=1795356000&limit=1"),
    ])
    func `the open candle alone needs a small request`(source: PriceSource, end: String) throws {
        #expect(try url(source, .hour, from: "2026-11-22T14:00").hasSuffix(end))
    }

    @Test(arguments: zip(Candle.allCases, ["1", "5", "15", "60", "1440"]))
    func `each candle length is given by the exchange's own name`(candle: Candle, minutes: String) throws {
        let seconds = Int(minutes)! * 60
        let names = [
            "interval=\(candle.rawValue)&", "granularity=\(seconds)&", "interval=\(minutes)&",
            "step=\(seconds)&",
        ]
        for (source, name) in zip(exchanges, names) {
            #expect(try url(source, candle, from: "2026-11-22T00:00").contains(name))
        }
    }

    @Test func `other symbols and hosts use the same paths`() throws {
        let source = PriceSource.coinbase.asked(below: "http://127.0.0.1:8000/x")
        let address = "http://127.0.0.1:8000/x/products/ETH-EUR/candles?granularity=86400"
        #expect(try url(source, .day, from: "2026-11-22T00:00", symbol: "ETH-EUR").hasPrefix(address))
        #expect(throws: InvalidInput.self) { try url(source, .day, from: "2026-11-22T00:00", symbol: "btc") }
    }

    @Test func `an answer with candles may take 1 MiB`() throws {
        #expect(try request(.kraken, .day, from: "2026-11-22T00:00").largestBody == 1 << 20)
    }

    @Test(arguments: PriceSource.all.filter { $0.candles != nil })
    func `no more candles are requested than fit into an answer`(exchange: PriceSource) throws {
        let source = try #require(exchange.candles)
        let most = source.most
        let today = Candle.day.beginning(of: now)
        for days in [most - 2, most - 1, most, 5000] {
            let first = today + Candle.day.length * -days
            let span = source.span(.day, from: first, at: now)
            #expect(span.count == min(days + 1, most))
            // A truncated answer does not prove that its last candle is closed.
            #expect(span.covers(first) && span.covers(span.last) == (days < most))
        }
    }

    private func refusal(_ source: CandleSource, _ candle: Candle, _ time: String) -> String? {
        let error = source.refusal(of: candle, from: Timestamp(time)!, at: now)
        if let error { #expect(error.kind == .unsupported && error.retry == nil) }
        return error?.message
    }

    @Test func `a time that is not the beginning of a candle is rejected`() {
        for time in ["2026-11-21T00:00:00.001Z", "2026-11-21T01:00:00.000Z", "2026-11-20T23:59:59.999Z"] {
            #expect(refusal(.binance, .day, time) == "\(time) is not when a 1d candle begins")
        }
        #expect(refusal(.binance, .hour, "2026-11-21T01:00:00.000Z") == nil)
    }

    @Test func `a future candle is rejected, and so is a candle before 1970`() {
        #expect(refusal(.binance, .day, "2026-11-22T00:00:00.000Z") == nil)
        #expect(
            refusal(.binance, .day, "2026-11-23T00:00:00.000Z") == "the candle of 2026-11-23 has not begun")
        #expect(
            refusal(.binance, .hour, "2026-11-22T15:00:00.000Z")
                == "the candle of 2026-11-22 15:00 UTC has not begun")
        #expect(
            refusal(.binance, .day, "1969-12-31T00:00:00.000Z") == "the candle of 1969-12-31 is before 1970")
    }

    @Test func `Kraken offers only its last 720 closed candles and the open one`() {
        #expect(refusal(.kraken, .day, "2024-12-02T00:00:00.000Z") == nil)
        #expect(
            refusal(.kraken, .day, "2024-12-01T00:00:00.000Z")
                == "the candle of 2024-12-01 is too old: only the last 721 can be requested")
        #expect(refusal(.coinbase, .day, "2015-12-02T00:00:00.000Z") == nil)
    }
}
