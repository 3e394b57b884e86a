import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct BybitTests {
    private let sample = ExchangeSample(
        source: .bybit, address: "https://api.bybit.com/v5/market/tickers?category=spot&symbol=BTCUSDT",
        markets: ["BTCUSDT", "ETHEUR"],
        // bybit-exchange.github.io/docs/v5, Get Tickers, Spot
        answer: (
            #"{"retCode":0,"retMsg":"OK","result":{"category":"spot","list":[{"symbol":"BTCUSDT","bid1Price":"20517.96","bid1Size":"2","ask1Price":"20527.77","ask1Size":"1.862172","lastPrice":"20533.13","prevPrice24h":"20393.48","price24hPcnt":"0.0068","usdIndexPrice":"20784.12009279"}]},"retExtInfo":{},"time":1673859087947}"#,
            "20533.13"
        ),
        others: [
            #"{"retCode":0,"retMsg":"OK","result":{"list":[{"symbol":"ETHUSDT","lastPrice":"20533.13"}]},"time":1673859087947}"#,
            #"{"retCode":0,"retMsg":"OK","result":{"list":[{"symbol":"BTCUSDT","lastPrice":20533.13}]},"time":1673859087947}"#,
            #"{"retCode":0,"retMsg":"OK","result":{"list":[]},"time":1673859087947}"#,
        ],
        refusals: [
            // ccxt, 2024-09
            (
                200,
                #"{"retCode":10001,"retMsg":"Not supported symbols","result":{},"retExtInfo":{},"time":1726147060461}"#,
                .unsupported
            ),
            // bybit-exchange.github.io/docs/v5, Error Codes and Rate Limit
            (403, #"{"retCode":403,"retMsg":"access too frequent"}"#, .rateLimited),
            (200, #"{"retCode":10000,"retMsg":"Server Timeout"}"#, .network),
            (200, #"{"retCode":10029,"retMsg":"internal error"}"#, .network),
            (
                200, #"{"retCode":10006,"retMsg":"Too many visits. Exceeded the API Rate Limit."}"#,
                .rateLimited
            ),
            (
                403, #"{"retCode":10006,"retMsg":"Too many visits. Exceeded the API Rate Limit."}"#,
                .rateLimited
            ),
            (200, #"{"retCode":10018,"retMsg":"Exceeded the IP Rate Limit."}"#, .rateLimited),
            (200, #"{"retCode":10016,"retMsg":"Server error."}"#, .network),
            (
                200, #"{"retCode":10002,"retMsg":"The request time exceeds the time window range."}"#,
                .invalidData
            ),
            (403, "<html>403 Forbidden</html>", .denied),
        ],
        candles: ExchangeSample.Candles(
            path:
                "/v5/market/kline?category=spot&symbol=BTCUSDT&interval=D&start=1795132800000&end=1795305600000&limit=3",
            // bybit-exchange.github.io/docs/v5, Get Kline, adapted to a spot market
            answer: (
                #"{"retCode":0,"retMsg":"OK","result":{"symbol":"BTCUSDT","category":"spot","list":[["1670608800000","17071","17073","17027","17055.5","268611","15.74462667"],["1670605200000","17071.5","17071.5","17061","17071","4177","0.24469757"]]},"retExtInfo":{},"time":1672025956592}"#,
                .hour, 1_670_608_800_000, "17071 17073 17027 17055.5 268611"
            ),
            page: { rows in
                let rows = rows.map {
                    #"["\#($0.beginning.milliseconds)","1.01","1.02","1.03","\#($0.close)","268611","15.7"]"#
                }
                return
                    #"{"retCode":0,"retMsg":"OK","result":{"symbol":"BTCUSDT","list":[\#(rows.joined(separator: ","))]}}"#
            }),
        // bybit-exchange.github.io/docs/v5, Connect and Ticker
        push: ExchangeSample.Push(
            request: #"{"op":"subscribe","args":["tickers.BTCUSDT","tickers.ETHEUR"]}"#,
            messages: [
                (
                    #"{"success":true,"ret_msg":"subscribe","conn_id":"2324d924-aa4d","req_id":"","op":"subscribe"}"#,
                    .accepted()
                ),
                (
                    #"{"success":true,"ret_msg":"pong","conn_id":"0970e817-426e","req_id":"","op":"ping"}"#,
                    .heartbeat
                ),
                (
                    #"{"success":false,"ret_msg":"Invalid symbol :[tickers.NOUSDT]","conn_id":"a","op":"subscribe"}"#,
                    .refused("Invalid symbol :[tickers.NOUSDT]")
                ),
                (#"{"topic":"publicTrade.BTCUSDT","ts":1673853746003,"data":[]}"#, .other),
            ],
            price: { price, time in
                #"{"topic":"tickers.BTCUSDT","ts":\#(time.milliseconds),"type":"snapshot","cs":2588407389,"data":{"symbol":"BTCUSDT","lastPrice":"\#(price)","highPrice24h":"21426.99"}}"#
            },
            unreadable: [
                #"{"topic":"tickers.BTCUSDT","type":"snapshot","data":{"symbol":"BTCUSDT","lastPrice":"1.5"}}"#,
                #"{"topic":"tickers.BTCUSDT","ts":1673853746003,"data":{"symbol":"ETHUSDT","lastPrice":"1.5"}}"#,
                #"{"topic":"tickers.BTCUSDT","ts":1673853746003}"#,
            ]))

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
    @Test(.fault(50)) func `candles are read and matched by time`() throws { try sample.checkCandles() }
    @Test(.fault(48)) func `the feed is subscribed to and read`() throws { try sample.checkFeed() }
}
