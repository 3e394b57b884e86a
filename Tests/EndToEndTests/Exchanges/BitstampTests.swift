import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct BitstampTests {
    /// https://www.bitstamp.net/api/
    private let sample = ExchangeSample(
        source: .bitstamp, address: "https://www.bitstamp.net/api/v2/ticker/btcusd/",
        markets: ["btcusd", "etheur"],
        answer: (#"{"timestamp":"1737685911","open":"92500","last":"92066"}"#, "92066"),
        others: [
            #"{"timestamp":"1737685911","last":92066}"#,
            #"{"timestamp":"1737685911","last":"92066","pair":"ETH/USD"}"#,
        ],
        refusals: [
            (404, "<html>Page not found</html>", .unsupported),
            (
                400, #"{"status":"error","reason":"Rate limit exceeded.","response_code":"400.002"}"#,
                .rateLimited
            ),
        ],
        candles: ExchangeSample.Candles(
            path: "/api/v2/ohlc/btcusd/?step=86400&start=1795132800&end=1795305600&limit=3",
            answer: (
                #"{"data":{"pair":"BTC/USD","ohlc":[{"high":"9064.77","timestamp":"1593961440","volume":"18.49436608","low":"9040.87","close":"9064.76","open":"9040.87"}]}}"#,
                .minute, 1_593_961_440_000, "9040.87 9064.77 9040.87 9064.76 18.49436608"
            ),
            page: CandlePayload.bitstamp.page),
        push: ExchangeSample.Push(
            request: #"{"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}"#,
            messages: [
                (
                    #"{"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}"#,
                    .accepted(market: "btcusd")
                ),
                (#"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#, .heartbeat),
            ],
            price: { price, time in
                #"{"event":"trade","channel":"live_trades_btcusd","data":{"price_str":"\#(price)","microtimestamp":"\#(time.milliseconds)999"}}"#
            },
            unreadable: [#"{"event":"trade","channel":"live_trades_btcusd","data":{"price_str":"1.5"}}"#]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
