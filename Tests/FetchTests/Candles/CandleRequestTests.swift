import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The URLs of requests for candles, and the candles that cannot be requested.
@Suite(.unit) struct CandleRequestTests {
    private let now = Timestamp("2026-11-22T14:03:07.412Z")!

    private func url(_ source: PriceSource, _ candle: Candle, from first: String) throws -> String {
        try request(source, candle, from: first).url.text
    }

    private func request(
        _ source: PriceSource, _ candle: Candle, from first: String, symbol: String = "BTC-USD"
    ) throws -> HTTPRequest {
        let candles = try #require(source.candles)
        let span = candles.span(candle, from: Timestamp("\(first):00.000Z")!, at: now)
        return try source.plan(for: span, of: source.market(of: Symbol(symbol)!), from: candles).request.get()
    }

    @Test func `the URL for each candle length is the URL that the exchange documents`() throws {
        let urls = PriceSource.all.filter { $0.candles != nil }.flatMap { source in
            Candle.allCases.map { candle in
                let url = (try? url(source, candle, from: "2026-11-21T00:00")) ?? "not offered"
                return "\(source.name) | \(candle.rawValue) | \(url)"
            }
        }
        #expect(urls == Sample.lines("candle-urls").map(\.testDescription))
        // The URLs of these two exchanges do not limit the number of candles, so the limits are checked here.
        #expect(PriceSource.kraken.candles?.most == 721 && PriceSource.gemini.candles?.most == 1440)
    }

    @Test func `the path of a request has the same form for other symbols and on other hosts`() throws {
        let source = PriceSource.coinbase.asked(below: "http://127.0.0.1:8000/x")
        let request = try request(source, .day, from: "2026-11-22T00:00", symbol: "ETH-EUR")
        let address = "http://127.0.0.1:8000/x/products/ETH-EUR/candles?granularity=86400"
        #expect(request.url.text.hasPrefix(address))
        // An answer with candles may be up to 1 MiB long.
        #expect(request.largestBody == 1 << 20)
    }

    @Test(arguments: PriceSource.all.filter { $0.candles != nil })
    func `no more candles are requested than fit into an answer`(exchange: PriceSource) throws {
        let source = try #require(exchange.candles)
        let most = source.most
        let today = Candle.day.beginning(of: now)
        // With -1, the first candle is in the future, as if the clock had been set back.
        for days in [-1, 0, 1, most - 2, most - 1, most, 5000] {
            let first = today + Candle.day.length * -days
            let span = source.span(.day, from: first, at: now)
            #expect(span.count == max(1, min(days + 1, most)))
            // A truncated span does not cover its last candle, because nothing would prove that this candle is closed.
            #expect(span.covers(first) && span.covers(span.last) == (days < most))
        }
    }

    /// The reason why a candle cannot be requested; nil if it can be requested.
    private func refusal(_ source: CandleSource, _ candle: Candle, _ time: String) -> String? {
        let error = source.refusal(of: candle, from: Timestamp(time)!, at: now)
        if let error { #expect(error.kind == .unsupported && error.retry == nil) }
        return error?.message
    }

    @Test func `a time that is not the beginning of a candle is rejected`() {
        for time in ["2026-11-21T00:00:00.001Z", "2026-11-21T01:00:00.000Z", "2026-11-20T23:59:59.999Z"] {
            #expect(refusal(.binance, .day, time) == "\(time) is not the start of a 1d candle")
        }
        #expect(refusal(.binance, .hour, "2026-11-21T01:00:00.000Z") == nil)
    }

    @Test func `a future candle is rejected`() {
        #expect(refusal(.binance, .day, "2026-11-22T00:00:00.000Z") == nil)
        let tomorrow = refusal(.binance, .day, "2026-11-23T00:00:00.000Z")
        #expect(tomorrow == "the candle of 2026-11-23 has not begun")
        let hour = refusal(.binance, .hour, "2026-11-22T15:00:00.000Z")
        #expect(hour == "the candle of 2026-11-22 15:00 UTC has not begun")
    }

    @Test func `Kraken offers only its last 720 closed candles and the open candle`() {
        #expect(refusal(.kraken, .day, "2024-12-02T00:00:00.000Z") == nil)
        let old = refusal(.kraken, .day, "2024-12-01T00:00:00.000Z")
        #expect(old == "the candle of 2024-12-01 is too old: only the last 721 can be requested")
        #expect(refusal(.coinbase, .day, "2015-12-02T00:00:00.000Z") == nil)
    }
}
