import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// One source answers both kinds of ticks, or says that it has no candles.
@Suite(.unit) struct RoutingFeedTests {
    @Test func `a tick for the price and one for a candle each get their own answer`() {
        let candles = CandleClientStub(CandlePayload.binance.body([("2026-11-20T00:00", "1.5")]))
        let sut = RoutingFeed(
            prices: PollingFeed(.binance, client: HTTPClientStub(Payload.binance), now: { anyTime() }),
            candles: CandleFeed(.binance, .binance, client: candles, notices: SourceNotices(of: .binance)))
        sut.ask(1, anyTick(), within: .milliseconds(800), at: .now)
        sut.ask(2, candleTick(), within: .milliseconds(800), at: .now)
        let prices = sut.advance([], at: .now).map {
            ($0.id, $0.reading.candle, $0.reading.quote?.price.text)
        }
        #expect(prices.map(\.0) == [1, 2] && prices.map(\.1) == [nil, .day])
        #expect(prices.map(\.2) == ["114721.34000000", "1.5"])
    }

    @Test(arguments: [
        ["cryptocompare"], ["echo"], ["--push", "binance"], ["--url", "http://x/", "binance"],
        ["--url", "http://x/", "--price", "/a", "--name", "n"], ["--stream", "cat", "--price", "/a"],
    ])
    func `a source without candles says so immediately`(words: [String]) throws {
        let options = try FetchOptions(parsing: words)
        let failure = Failure(
            source: try #require(options.origin?.name), kind: .unsupported, message: "has no candles",
            retry: .seconds(60))
        #expect(options.refusal(of: candleTick()) == Reading(answering: candleTick(), [failure]))
        #expect(options.refusal(of: anyTick()) == nil)
    }

    @Test(arguments: ["binance", "coinbase", "kraken", "bitstamp"])
    func `an exchange with candles does not refuse them, at another host either`(name: String) throws {
        for words in [[name], ["--base", "http://127.0.0.1/", name]] {
            #expect(try FetchOptions(parsing: words).refusal(of: candleTick(symbol: "ETH-EUR")) == nil)
        }
    }
}
