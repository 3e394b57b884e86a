import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The messages of the four exchanges, as documented or recorded.
@Suite(.unit) struct PushSourceTests {
    private func push(_ source: String) throws -> PushSource {
        try #require(PriceSource.all.first { $0.name == source }?.push)
    }

    private func message(_ source: String, _ text: String) throws -> PushSource.Message {
        let message = try push(source).message(JSON(parsing: text.utf8))
        if case .several(let messages) = message, messages.count == 1 { return messages[0] }
        return message
    }

    /// Messages of the exchanges, taken from their documentation or recorded by others.
    @Test(
        arguments: [
            // https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
            (
                "binance",
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10","o":"16500.00","h":"16900.00","l":"16400.00","v":"10000","q":"18"}}"#,
                "16850.10", "BTCUSDT", 1_672_515_782_136, 1_672_515_782_136
            ),
            // 2025-06, printed by wscat
            (
                "binance",
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1749183266025,"s":"BTCUSDT","c":"102492.27000000","o":"105121.06000000","h":"105909.71000000","l":"100372.26000000","v":"24032.63625000","q":"2472261593.19821790"}}"#,
                "102492.27000000", "BTCUSDT", 1_749_183_266_025, 1_749_183_266_025
            ),
            // 2026-10, from the raw stream /ws/btcusdt@miniTicker
            (
                "binance",
                #"{"e":"24hrMiniTicker","E":1791296828016,"s":"BTCUSDT","c":"86128.01000000","o":"86342.54000000","h":"86488.00000000","l":"84972.01000000","v":"13426.62951000","q":"1151284684.75282880"}"#,
                "86128.01000000", "BTCUSDT", 1_791_296_828_016, 1_791_296_828_016
            ),
            // 2023-03, bmoscon/cryptofeed
            (
                "coinbase",
                #"{"type":"ticker","sequence":7388547310,"product_id":"BTC-USDT","price":"22345.67","open_24h":"22308.13","time":"2023-03-04T03:37:20.799258Z","trade_id":11586478,"last_size":"0.00352175"}"#,
                "22345.67", "BTC-USDT", 7_388_547_310, 1_677_901_040_799
            ),
            // Kraken's documentation, with the timestamp added in 2025; 2026-09, a snapshot
            (
                "kraken",
                #"{"channel":"ticker","type":"update","data":[{"symbol":"ETH/USDT","bid":0.10025,"ask":0.10035,"last":0.10035,"volume":997038.98383185,"change_pct":-0.17,"timestamp":"2025-09-25T09:04:31.742648Z"}]}"#,
                "0.10035", "ETH/USDT", nil, 1_758_791_071_742
            ),
            (
                "kraken",
                #"{"channel":"ticker","type":"snapshot","data":[{"symbol":"USDT/USD","bid":0.99980,"bid_qty":44620.68691883,"ask":0.99981,"ask_qty":1087605.70466858,"last":0.99981,"volume":270638277.50461281,"vwap":0.99983,"low":0.99959,"high":1.00000,"change":0.00005,"change_pct":0.01,"trades":38144,"timestamp":"2026-09-24T03:54:18.054886Z"}]}"#,
                "0.99981", "USDT/USD", nil, 1_790_222_058_054
            ),
            // A single ticker, instead of a list
            (
                "kraken",
                #"{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","last":101,"timestamp":"2026-09-24T03:54:18Z"}}"#,
                "101", "BTC/USD", nil, 1_790_222_058_000
            ),
            // 2022-01, bmoscon/cryptofeed; 2019-08, with blanks
            (
                "bitstamp",
                #"{"data":{"id":216000477,"timestamp":"1641343699","price":3805.44,"price_str":"3805.44","microtimestamp":"1641343699596000"},"channel":"live_trades_ethusd","event":"trade"}"#,
                "3805.44", "ethusd", 1_641_343_699_596_000, 1_641_343_699_596
            ),
            (
                "bitstamp",
                #"{"data": {"microtimestamp": "1565268956596198", "amount": 0.25381784, "buy_order_id": 3919329830, "sell_order_id": 3919330463, "amount_str": "0.25381784", "price_str": "11801.15", "timestamp": "1565268956", "price": 11801.15, "type": 1, "id": 95330837}, "event": "trade", "channel": "live_trades_btcusd"}"#,
                "11801.15", "btcusd", 1_565_268_956_596_198, 1_565_268_956_596
            ),
        ] as [(String, String, String, String, Int?, Int)])
    func `a price is read with its market, sequence number and time`(
        source: String, text: String, price: String, market: String, sequence: Int?, time: Int
    ) throws {
        let expected = PushSource.Message.price(
            Price(price)!, market: market, sequence: sequence, time: Timestamp(milliseconds: time))
        #expect(try message(source, text) == expected)
    }

    @Test(arguments: [
        ("2026-09-24T04:33:45Z", "2026-09-24T04:33:45.000Z"),
        ("2026-09-24T04:33:45.6Z", "2026-09-24T04:33:45.600Z"),
        ("2026-09-24T04:33:45.647605322Z", "2026-09-24T04:33:45.647Z"),
    ])
    func `a time may be written with any number of decimals`(text: String, time: String) throws {
        let ticker = #"{"type":"ticker","product_id":"A-USD","price":"1","time":"\#(text)"}"#
        let expected = PushSource.Message.price(Price("1")!, market: "A-USD", time: Timestamp(time)!)
        #expect(try message("coinbase", ticker) == expected)
    }

    @Test func `a message of Kraken may contain several prices`() throws {
        let time = #""timestamp":"2026-09-24T03:54:18Z""#
        let text =
            #"{"channel":"ticker","data":[{"symbol":"A/USD","last":1.5,\#(time)},{"symbol":"B/USD","last":1.2e-7,\#(time)}]}"#
        let prices = [("A/USD", "1.5"), ("B/USD", "0.00000012")].map { market, price in
            PushSource.Message.price(
                Price(price)!, market: market, time: Timestamp("2026-09-24T03:54:18.000Z")!)
        }
        #expect(try message("kraken", text) == .several(prices))
    }

    /// Messages as documented or as recorded by others.
    @Test(
        arguments: [
            (.accepted(), "binance", #"{"result":null,"id":1}"#),
            (.accepted(), "binance", #"{"result":null,"id":2}"#),
            (.accepted(), "binance", #"{"error":{"code":2,"msg":"Invalid"},"id":2}"#),
            (
                .accepted(market: "A/USD"), "kraken",
                #"{"method":"subscribe","result":{"symbol":"A/USD"},"success":true}"#
            ),
            (
                .accepted(market: "A/USD"), "kraken",
                #"{"error":"Already subscribed","method":"subscribe","symbol":"A/USD"}"#
            ),
            (
                .accepted(market: "a"), "bitstamp",
                #"{"event":"bts:subscription_succeeded","channel":"live_trades_a"}"#
            ),
            (.subscribed([]), "coinbase", #"{"type":"subscriptions","channels":[]}"#),
            (
                .subscribed(["A-USD", "B-USD"]), "coinbase",
                #"{"type":"subscriptions","channels":[{"name":"heartbeat","product_ids":["A-USD"]},{"name":"ticker","product_ids":["A-USD","B-USD"],"account_ids":null}]}"#
            ),
            (
                .ended(market: "A/USD"), "kraken",
                #"{"method":"unsubscribe","result":{"channel":"ticker","symbol":"A/USD"},"success":true}"#
            ),
            (
                .ended(market: "A/USD"), "kraken",
                #"{"method":"unsubscribe","success":false,"error":"Not Found","symbol":"A/USD"}"#
            ),
            (
                .ended(market: "btcusd"), "bitstamp",
                #"{"event":"bts:unsubscription_succeeded","channel":"live_trades_btcusd","data":{}}"#
            ),
            (.halted("the exchange is in the state maintenance"), "kraken", status("maintenance")),
            (.halted("the exchange is in the state cancel_only"), "kraken", status("cancel_only")),
            (.halted("the exchange is in the state post_only"), "kraken", status("post_only")),
            (
                .heartbeat, "coinbase",
                #"{"type":"heartbeat","sequence":90,"product_id":"A-USD","time":"2014-11-07T08:19:28.464459Z"}"#
            ),
            (.heartbeat, "kraken", #"{"channel":"heartbeat"}"#),
            (.heartbeat, "bitstamp", #"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#),
            (.refused("Invalid request"), "binance", #"{"code":2,"msg":"Invalid request"}"#),
            (.refused("Invalid"), "binance", #"{"error":{"code":2,"msg":"Invalid"},"id":1}"#),
            (
                .refused("Failed to subscribe: NO-USD is not a valid product"), "coinbase",
                #"{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}"#
            ),
            (.refused("an error without a message"), "coinbase", #"{"type":"error"}"#),
            (
                .refused("Currency pair not supported NO/USD NO/USD"), "kraken",
                #"{"method":"subscribe","error":"Currency pair not supported NO/USD","symbol":"NO/USD"}"#
            ),
            (
                .refused("Bad subscription string."), "bitstamp",
                #"{"event":"bts:error","channel":"","data":{"code":null,"message":"Bad subscription string."}}"#
            ),
            (.reconnect, "binance", #"{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":17}}"#),
            (.reconnect, "binance", #"{"e":"serverShutdown","E":1770123456789}"#),
            (.reconnect, "bitstamp", #"{"event":"bts:request_reconnect","channel":"","data":""}"#),
            (.other, "kraken", status("online")),
            (.other, "binance", #"{"stream":"x","data":{"e":"trade","p":"1"}}"#), (.other, "binance", "{}"),
            (.other, "coinbase", "[]"), (.other, "kraken", "7"), (.other, "bitstamp", #"{"event":"new"}"#),
        ] as [(PushSource.Message, String, String)])
    func `each kind of message is recognized`(
        expected: PushSource.Message, source: String, text: String
    ) throws {
        #expect(try message(source, text) == expected)
    }

    private static func status(_ state: String) -> String {
        #"{"channel":"status","type":"update","data":[{"version":"2.0.10","system":"\#(state)"}]}"#
    }

    @Test(arguments: [
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"0.00"}}"#),
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT"}}"#),
        (
            "binance",
            #"{"stream":"ethusdt@miniTicker","data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1"}}"#
        ),
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1","E":"yesterday"}}"#),
        ("binance", #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","c":"1"}}"#),
        ("binance", #"{"stream":"btcusdt@miniTicker","data":{"e":"new","s":"BTCUSDT","c":"1"}}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":22345.67}"#),
        ("coinbase", #"{"type":"ticker","price":"22345.67"}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":"1","time":1677901040}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":"1","time":"2023-03-04"}"#),
        ("kraken", #"{"channel":"ticker","data":[{"last":1.5}]}"#), ("kraken", #"{"channel":"ticker"}"#),
        (
            "bitstamp",
            #"{"data":{"price_str":"1","microtimestamp":"-1"},"channel":"live_trades_ethusd","event":"trade"}"#
        ),
        ("bitstamp", #"{"channel":"live_trades_ethusd","event":"trade"}"#),
        ("bitstamp", #"{"data":{"price_str":"1"},"event":"trade"}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":"-1"}"#),
        // Without a time
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1"}}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":"1"}"#),
        ("kraken", #"{"channel":"ticker","data":[{"symbol":"ETH/USDT","last":1.5}]}"#),
        ("bitstamp", #"{"data":{"price_str":"1"},"channel":"live_trades_ethusd","event":"trade"}"#),
        ("kraken", #"{"channel":"ticker","data":[{"symbol":"ETH/USDT","last":"1.5"}]}"#),
        ("kraken", #"{"channel":"ticker","data":[{"symbol":"ETH/USDT","last":1e15}]}"#),
        ("bitstamp", #"{"data":{"price_str":"3,805.44"},"channel":"live_trades_ethusd","event":"trade"}"#),
    ])
    func `a malformed price, a price without a time and a price of another stream are unreadable`(
        source: String, text: String
    )
        throws
    {
        guard case .unreadable = try message(source, text) else {
            Issue.record("\(text)")
            return
        }
    }

    @Test func `an unreadable ticker affects the market that it names, or else the market of its stream`()
        throws
    {
        let other =
            #"{"stream":"ethusdt@miniTicker","data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1"}}"#
        let reason = "a message of the stream ethusdt@miniTicker"
        #expect(try message("binance", other) == .unreadable(market: "BTCUSDT", reason: reason))
        let bare = #"{"stream":"ethusdt@miniTicker","data":{"e":"24hrMiniTicker","c":"1"}}"#
        #expect(try message("binance", bare) == .unreadable(market: "ETHUSDT", reason: reason))
    }

    @Test(arguments: [
        (
            "binance", #"{"method":"SUBSCRIBE","params":["btcusdt@miniTicker","etheur@miniTicker"],"id":1}"#
        ),
        (
            "coinbase",
            #"{"type":"subscribe","product_ids":["BTC-USD","ETH-EUR"],"channels":["ticker","heartbeat"]}"#
        ),
        ("kraken", #"{"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD","ETH/EUR"]}}"#),
        ("bitstamp", #"{"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}"#),
    ])
    func `markets are subscribed to by the exchange's names`(source: String, text: String) throws {
        let (exchange, source) = (try #require(PriceSource.all.first { $0.name == source }), try push(source))
        let markets = try ["BTC-USD", "ETH-EUR"].map { source.name(try exchange.market(of: Symbol($0)!)) }
        #expect(source.request(.subscribe, markets) == text)
        let words = ("UNSUBSCRIBE", "SUBSCRIBE")
        let end = text.replacing("subscribe", with: "unsubscribe").replacing(words.1, with: words.0)
        #expect(source.request(.unsubscribe, markets) == end.replacing(#""id":1"#, with: #""id":2"#))
    }
}
