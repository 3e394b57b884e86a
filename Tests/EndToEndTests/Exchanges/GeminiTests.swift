import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct GeminiTests {
    private let sample = ExchangeSample(
        source: .gemini, address: "https://api.gemini.com/v1/pubticker/btcusd",
        markets: ["btcusd", "etheur"],
        // docs.gemini.com, Ticker
        answer: (
            #"{"ask":"977.59","bid":"977.35","last":"977.65","volume":{"BTC":"2210.505328803","USD":"2135477.463379586263","timestamp":1483018200000}}"#,
            "977.65"
        ),
        others: [
            #"{"last":"977.65","volume":{"ETH":"2210.5","USD":"2135477.4","timestamp":1483018200000}}"#,
            #"{"last":"977.65","volume":{"BTC":"2210.5","EUR":"2135477.4","timestamp":1483018200000}}"#,
            #"{"last":977.65,"volume":{"BTC":"2210.5","USD":"2135477.4","timestamp":1483018200000}}"#,
        ],
        refusals: [
            // Recorded by others in 2026-09, from /v1/book and /v1/symbols/details
            (
                400,
                #"{"result":"error","reason":"Bad Request","message":"Supplied value 'NOUSD' is not a valid symbol"}"#,
                .unsupported
            ),
            (
                400,
                #"{"result":"error","reason":"InvalidSymbol","message":"Received unsupported symbol 'nousd'"}"#,
                .unsupported
            ),
            (503, #"{"result":"error","reason":"System","message":"The exchange is down"}"#, .network),
            (400, #"{"result":"error","reason":"MarketNotOpen","message":"Closed"}"#, .invalidData),
            (
                429, #"{"result":"error","reason":"Too Many Requests","message":"Too Many Requests"}"#,
                .rateLimited
            ),
        ],
        candles: ExchangeSample.Candles(
            longest: .hour, path: "/v2/candles/btcusd/1hr",
            // docs.gemini.com, Candles
            answer: (
                "[[1559755800000,7781.6,7820.23,7776.56,7819.39,34.7624802159]]",
                .quarterHour, 1_559_755_800_000, "7781.6 7820.23 7776.56 7819.39 34.7624802159"
            ),
            page: { rows in
                let rows = rows.map { "[\($0.beginning.milliseconds),1.01,1.02,1.03,\($0.close),34.7]" }
                return "[\(rows.joined(separator: ","))]"
            }),
        push: ExchangeSample.Push(
            request: #"{"id":"1","method":"subscribe","params":["btcusd@trade","etheur@trade"]}"#,
            // developer.gemini.com, Message Format and Streams, 2026-04
            messages: [
                (#"{"id":"1","status":200,"result":{}}"#, .accepted()),
                (#"{"id":"2","status":200,"result":{}}"#, .heartbeat),
                (
                    #"{"id":"1","status":400,"error":{"code":-1013,"msg":"Invalid parameters"}}"#,
                    .refused("Invalid parameters")
                ),
                (
                    #"{"u":1751505576085,"E":1751508438600117161,"s":"btcusd","b":"45000.50","B":"1.25","a":"45001.00","A":"0.75"}"#,
                    .other
                ),
            ],
            price: { price, time in
                #"{"E":\#(time.milliseconds)117161,"s":"btcusd","t":2840140956529623,"p":"\#(price)","q":"0.001","m":true}"#
            },
            unreadable: [
                #"{"s":"btcusd","t":1,"p":"1.5"}"#, #"{"E":1751508438600117161,"t":1,"p":"1.5"}"#,
                #"{"E":1751508438600117161,"s":"btcusd","t":1}"#,
            ]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
