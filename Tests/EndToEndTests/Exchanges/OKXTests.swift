import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct OKXTests {
    private static let unknown = "Instrument ID, Instrument ID code, or Spread ID doesn't exist."

    private let sample = ExchangeSample(
        source: .okx, address: "https://www.okx.com/api/v5/market/ticker?instId=BTC-USD",
        markets: ["BTC-USD", "ETH-EUR"],
        // www.okx.com/docs-v5, Get ticker, adapted from the swap to BTC-USD
        answer: (
            #"{"code":"0","msg":"","data":[{"instType":"SPOT","instId":"BTC-USD","last":"9999.99","lastSz":"0.1","askPx":"9999.99","bidPx":"8888.88","open24h":"9000","sodUtc0":"2222","ts":"1597026383085"}]}"#,
            "9999.99"
        ),
        others: [
            #"{"code":"0","msg":"","data":[{"instId":"BTC-USDT","last":"9999.99","ts":"1597026383085"}]}"#,
            #"{"code":"0","msg":"","data":[{"instId":"BTC-USD","last":9999.99,"ts":"1597026383085"}]}"#,
            #"{"code":"0","msg":"","data":[{"instId":"BTC-USD","last":"","ts":"1597026383085"}]}"#,
            #"{"code":"0","msg":"","data":[]}"#,
        ],
        refusals: [
            // Recorded by others in 2026
            (200, #"{"code":"51001","msg":"\#(unknown)","data":[]}"#, .unsupported),
            // www.okx.com/docs-v5, Error code
            (429, #"{"code":"50011","msg":"Too Many Requests"}"#, .rateLimited),
            (200, #"{"code":"50011","msg":"Rate limit reached.","data":[]}"#, .rateLimited),
            (503, #"{"code":"50001","msg":"Service temporarily unavailable."}"#, .network),
            (200, #"{"code":"51000","msg":"Parameter instId error","data":[]}"#, .invalidData),
            (404, #"{"code":404,"data":{},"error_code":"404","msg":"Not Found"}"#, .invalidData),
        ],
        candles: ExchangeSample.Candles(
            path: "/api/v5/market/candles?instId=BTC-USD&bar=1Dutc&after=1795392000000&limit=3",
            // Hour candles, recorded by others in 2026
            answer: (
                #"{"code":"0","msg":"","data":[["1787184000000","69337.2","69599.4","69319.9","69514.5","111.39520843","7743007.753348444","7743007.753348444","0"],["1787180400000","69264.7","69462.5","69160.6","69337.1","333.0511483","23087731.217311397","23087731.217311397","1"],["1787176800000","69718.5","69846.6","69000","69264.5","509.18666667","35301481.318071814","35301481.318071814","1"]]}"#,
                .hour, 1_787_176_800_000, "69718.5 69846.6 69000 69264.5 509.18666667"
            ),
            page: { rows in
                let rows = rows.map {
                    #"["\#($0.beginning.milliseconds)","1.01","1.02","1.03","\#($0.close)","8.4","22.6","12.6","1"]"#
                }
                return #"{"code":"0","msg":"","data":[\#(rows.joined(separator: ","))]}"#
            }),
        // www.okx.com/docs-v5, Tickers channel, Connect, Notification
        push: ExchangeSample.Push(
            request:
                #"{"op":"subscribe","args":[{"channel":"tickers","instId":"BTC-USD"},{"channel":"tickers","instId":"ETH-EUR"}]}"#,
            messages: [
                (
                    #"{"event":"subscribe","arg":{"channel":"tickers","instId":"BTC-USD"},"connId":"accb8e21"}"#,
                    .accepted(market: "BTC-USD")
                ),
                (
                    #"{"event":"unsubscribe","arg":{"channel":"tickers","instId":"BTC-USD"},"connId":"d0b44253"}"#,
                    .ended(market: "BTC-USD")
                ),
                (
                    #"{"event":"error","code":"60018","msg":"Wrong URL or channel:tickers,instId:NO-USD doesn't exist.","connId":"a4d3ae55"}"#,
                    .refused("Wrong URL or channel:tickers,instId:NO-USD doesn't exist.")
                ),
                (
                    #"{"event":"notice","code":"64008","msg":"The connection will soon be closed for a service upgrade. Please reconnect.","connId":"a4d3ae55"}"#,
                    .reconnect
                ),
                (
                    #"{"event":"channel-conn-count","channel":"orders","connCount":"2","connId":"abcd1234"}"#,
                    .other
                ),
                ("pong", .heartbeat),
            ],
            price: { price, time in
                #"{"arg":{"channel":"tickers","instId":"BTC-USD"},"data":[{"instType":"SPOT","instId":"BTC-USD","last":"\#(price)","ts":"\#(time.milliseconds)"}]}"#
            },
            unreadable: [
                #"{"arg":{"channel":"tickers","instId":"BTC-USD"},"data":[{"instId":"BTC-USD","last":"1.5"}]}"#,
                #"{"arg":{"channel":"tickers","instId":"BTC-USD"},"data":[{"instId":"ETH-USD","last":"1.5","ts":"1597026383085"}]}"#,
                #"{"arg":{"channel":"tickers","instId":"BTC-USD"},"data":[]}"#,
            ]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
