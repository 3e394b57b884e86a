import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct KrakenTests {
    /// https://docs.kraken.com/api
    private let sample = ExchangeSample(
        source: .kraken, address: "https://api.kraken.com/0/public/Ticker?pair=XBTUSD",
        markets: ["XBTUSD", "ETHEUR"],
        answer: (
            #"{"error":[],"result":{"XXBTZUSD":{"a":["92067.1","1"],"c":["92066.90000","0.0010"]}}}"#,
            "92066.90000"
        ),
        others: [
            #"{"error":[],"result":{"XETHZUSD":{"c":["3012.55","1"]}}}"#, #"{"error":[],"result":{}}"#,
            #"{"error":[],"result":{"XXBTZEUR":{"c":["90123.1","1"]}}}"#,
            #"{"error":[],"result":{"USDTZUSD":{"c":["1.0","1"]}}}"#,
            #"{"error":[],"result":{"XXBTZUSD":{"c":["1.1","1"]},"XETHZUSD":{"c":["2.2","1"]}}}"#,
            #"{"error":[],"result":{"XXBTZUSD":{"c":[92066.9,"0.001"]}}}"#,
            #"{"error":[],"result":{"XXBTZUSD":{"c":"92066.9"}}}"#,
        ],
        refusals: [
            (200, #"{"error":["EQuery:Unknown asset pair"]}"#, .unsupported),
            (200, #"{"error":["EAPI:Rate limit exceeded"]}"#, .rateLimited),
            (200, #"{"error":["EService:Unavailable"]}"#, .network),
        ],
        candles: ExchangeSample.Candles(
            path: "/0/public/OHLC?pair=XBTUSD&interval=1440&since=1795046400",
            answer: (
                #"{"error":[],"result":{"XXBTZUSD":[[1688671200,"30306.1","30306.2","30305.7","30305.8","30306.1","3.39243896",23]],"last":1688672160}}"#,
                .minute, 1_688_671_200_000, "30306.1 30306.2 30305.7 30305.8 3.39243896"
            ),
            page: CandlePayload.kraken.page),
        push: ExchangeSample.Push(
            request:
                #"{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","ETH/EUR"]}}"#,
            messages: [
                (
                    #"{"method":"subscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#,
                    .accepted(market: "BTC/USD")
                ),
                (#"{"channel":"heartbeat"}"#, .heartbeat),
            ],
            price: { price, time in
                #"{"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":\#(price),"timestamp":"\#(time.text)"}]}"#
            },
            unreadable: [#"{"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":1.5}]}"#]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
