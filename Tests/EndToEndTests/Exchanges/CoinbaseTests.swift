import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct CoinbaseTests {
    /// https://docs.cdp.coinbase.com/exchange
    private let sample = ExchangeSample(
        source: .coinbase, address: "https://api.exchange.coinbase.com/products/BTC-USD/ticker",
        markets: ["BTC-USD", "ETH-EUR"],
        answer: (
            #"{"ask":"83895.98","bid":"83895.97","trade_id":1097689557,"price":"83895.98","time":"2026-09-24T04:33:45.647605322Z"}"#,
            "83895.98"
        ),
        others: [#"{"price":83895.98,"time":"2026-09-24T04:33:45.647605322Z"}"#, #"{"price":"83895.98"}"#],
        refusals: [
            (404, #"{"message":"NotFound"}"#, .unsupported),
            (429, #"{"message":"Public rate limit exceeded"}"#, .rateLimited),
        ],
        candles: ExchangeSample.Candles(
            path:
                "/products/BTC-USD/candles?granularity=86400&start=2026-11-20T00:00:00.000Z&end=2026-11-22T00:00:01.000Z",
            answer: (
                "[[1591514160,0.02506,0.02509,0.02507,0.02508,0.02816506]]", .minute, 1_591_514_160_000,
                "0.02507 0.02509 0.02506 0.02508 0.02816506"
            ),
            page: CandlePayload.coinbase.page),
        push: ExchangeSample.Push(
            request:
                #"{"type":"subscribe","product_ids":["BTC-USD","ETH-EUR"],"channels":["ticker","heartbeat"]}"#,
            messages: [
                (
                    #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["BTC-USD"]}]}"#,
                    .subscribed(["BTC-USD"])
                ),
                (#"{"type":"heartbeat","sequence":90,"product_id":"BTC-USD"}"#, .heartbeat),
            ],
            price: { price, time in
                #"{"type":"ticker","sequence":7,"product_id":"BTC-USD","price":"\#(price)","time":"\#(time.text)"}"#
            },
            unreadable: [#"{"type":"ticker","product_id":"BTC-USD","price":"1.5"}"#]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
