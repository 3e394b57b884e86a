import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct BinanceTests {
    /// https://developers.binance.com/docs/binance-spot-api-docs
    private let sample = ExchangeSample(
        source: .binance,
        address: "https://api.binance.com/api/v3/ticker/price?symbol=BTCUSDT&symbolStatus=TRADING",
        markets: ["BTCUSDT", "ETHEUR"],
        answer: (#"{"symbol":"BTCUSDT","price":"114721.34000000"}"#, "114721.34000000"),
        others: [
            #"{"symbol":"ETHUSDT","price":"3012.55"}"#, #"{"price":"3012.55"}"#,
            #"{"symbol":"BTCEUR","price":"90123.1"}"#, #"{"symbol":"BTCUSDT","price":3012.55}"#,
            #"{"symbol":"BTCUSDT","price":null}"#,
        ],
        refusals: [
            (400, #"{"code":-1121,"msg":"Invalid symbol."}"#, .unsupported),
            (418, #"{"code":-1003,"msg":"Way too much request weight used"}"#, .rateLimited),
        ],
        candles: ExchangeSample.Candles(
            path: "/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=1795132800000&limit=3",
            answer: (
                #"[[1499040000000,"0.01634790","0.80000000","0.01575800","0.01577100","148976.11427815",1499126399999]]"#,
                .day, 1_499_040_000_000, "0.01634790 0.80000000 0.01575800 0.01577100 148976.11427815"
            ),
            page: CandlePayload.binance.page),
        push: ExchangeSample.Push(
            request:
                #"{"method":"SUBSCRIBE","params":["btcusdt@miniTicker","etheur@miniTicker"],"id":1}"#,
            messages: [
                (#"{"result":null,"id":1}"#, .accepted()),
                (#"{"code":2,"msg":"Invalid request"}"#, .refused("Invalid request")),
            ],
            price: { price, time in
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":\#(time.milliseconds),"s":"BTCUSDT","c":"\#(price)"}}"#
            },
            unreadable: [#"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1.5"}}"#]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
