import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The messages of the four exchanges, as documented or recorded.
@Suite(.unit) struct PushSourceTests {
    private func message(_ source: String, _ text: String) throws -> PushSource.Message {
        let source = try #require(PushSource.all.first { $0.name == source })
        let message = try source.message(JSON(parsing: text.utf8))
        if case .several(let messages) = message, messages.count == 1 { return messages[0] }
        return message
    }

    @Test(
        arguments: [
            (
                "binance",
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10","o":"16500.00","h":"16900.00","l":"16400.00","v":"10000","q":"18"}}"#,
                "16850.10", "BTCUSDT", 1_672_515_782_136
            ),
            (
                "coinbase",
                #"{"type":"ticker","sequence":7388547310,"product_id":"BTC-USDT","price":"22345.67","open_24h":"22308.13","time":"2023-03-04T03:37:20.799258Z","trade_id":11586478,"last_size":"0.00352175"}"#,
                "22345.67", "BTC-USDT", 7_388_547_310
            ),
            (
                "kraken",
                #"{"channel":"ticker","type":"update","data":[{"symbol":"ETH/USDT","bid":0.10025,"ask":0.10035,"last":0.10035,"volume":997038.98383185,"change_pct":-0.17}]}"#,
                "0.10035", "ETH/USDT", nil
            ),
            (
                "bitstamp",
                #"{"data":{"id":216000477,"timestamp":"1641343699","price":3805.44,"price_str":"3805.44","microtimestamp":"1641343699596000"},"channel":"live_trades_ethusd","event":"trade"}"#,
                "3805.44", "ethusd", 1_641_343_699_596_000
            ),
        ] as [(String, String, String, String, Int?)])
    func `a price is read with its market and the exchange's order`(
        source: String, text: String, price: String, market: String, sequence: Int?
    ) throws {
        #expect(try message(source, text) == .price(Price(price)!, market: market, sequence: sequence))
    }

    @Test func `a message of kraken may have several prices`() throws {
        let text = #"{"channel":"ticker","data":[{"symbol":"A/USD","last":1.5},{"symbol":"B/USD","last":2}]}"#
        let prices = [("A/USD", "1.5"), ("B/USD", "2")].map { market, price in
            PushSource.Message.price(Price(price)!, market: market, sequence: nil)
        }
        #expect(try message("kraken", text) == .several(prices))
    }

    @Test(arguments: [
        ("binance", #"{"result":null,"id":1}"#),
        ("coinbase", #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["BTC-USD"]}]}"#),
        (
            "kraken",
            #"{"method":"subscribe","result":{"channel":"ticker","snapshot":true,"symbol":"ETH/USDT"},"success":true,"time_in":"2023-09-25T09:04:31.742599Z","time_out":"2023-09-25T09:04:31.742648Z","req_id":1}"#
        ),
        (
            "kraken",
            #"{"error":"Already subscribed","method":"subscribe","success":false,"symbol":"BTC/USD"}"#
        ),
        ("bitstamp", #"{"event":"bts:subscription_succeeded","channel":"live_trades_ethusd","data":{}}"#),
    ])
    func `an accepted request is recognized`(source: String, text: String) throws {
        #expect(try message(source, text) == .accepted)
    }

    @Test(arguments: [
        (
            "binance", #"{"code":2,"msg":"Invalid request: unknown stream"}"#,
            "Invalid request: unknown stream"
        ),
        ("binance", #"{"error":{"code":2,"msg":"Invalid request"},"id":1}"#, "Invalid request"),
        (
            "coinbase",
            #"{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}"#,
            "Failed to subscribe: NO-USD is not a valid product"
        ),
        ("coinbase", #"{"type":"error"}"#, "an error without a message"),
        (
            "kraken",
            #"{"method":"subscribe","success":false,"error":"Currency pair not supported NO/USD","symbol":"NO/USD"}"#,
            "Currency pair not supported NO/USD NO/USD"
        ),
        (
            "bitstamp",
            #"{"event":"bts:error","channel":"","data":{"code":null,"message":"Bad subscription"}}"#,
            "Bad subscription"
        ),
    ])
    func `a refused request is recognized, with the exchange's words`(
        source: String, text: String, words: String
    ) throws {
        #expect(try message(source, text) == .refused(words))
    }

    @Test(arguments: [
        ("binance", #"{"stream":"x","data":{"e":"serverShutdown","E":1}}"#),
        ("bitstamp", #"{"event":"bts:request_reconnect","channel":"","data":""}"#),
    ])
    func `a request to connect again is recognized`(source: String, text: String) throws {
        #expect(try message(source, text) == .reconnect)
    }

    @Test(arguments: [
        (
            "coinbase",
            #"{"type":"heartbeat","sequence":90,"last_trade_id":20,"product_id":"BTC-USD","time":"2014-11-07T08:19:28.464459Z"}"#
        ),
        (
            "kraken",
            #"{"channel":"status","type":"update","data":[{"version":"2.0.10","system":"online","api_version":"v2","connection_id":16174536464690282295}]}"#
        ),
        ("kraken", #"{"channel":"heartbeat"}"#), ("binance", #"{"stream":"x","data":{"e":"trade","p":"1"}}"#),
        ("binance", #"{"result":null,"id":2}"#), ("binance", #"{"error":{"code":2,"msg":"Invalid"},"id":2}"#),
        (
            "kraken",
            #"{"method":"unsubscribe","success":false,"error":"Subscription Not Found","symbol":"A/USD"}"#
        ),
        ("binance", "{}"), ("coinbase", "[]"), ("kraken", "7"), ("bitstamp", #"{"event":"new"}"#),
    ])
    func `anything else is a sign of life and nothing more`(source: String, text: String) throws {
        #expect(try message(source, text) == .other)
    }

    @Test(arguments: [
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"0.00"}}"#),
        ("binance", #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT"}}"#),
        (
            "binance",
            #"{"stream":"ethusdt@miniTicker","data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1"}}"#
        ),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":22345.67}"#),
        ("coinbase", #"{"type":"ticker","product_id":"BTC-USD","price":"-1"}"#),
        ("kraken", #"{"channel":"ticker","data":[{"symbol":"ETH/USDT","last":1e5}]}"#),
        ("bitstamp", #"{"data":{"price_str":"3,805.44"},"channel":"live_trades_ethusd","event":"trade"}"#),
    ])
    func `a price out of its grammar, or of another stream, is unreadable`(source: String, text: String)
        throws
    {
        guard case .unreadable = try message(source, text) else {
            Issue.record("\(text)")
            return
        }
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
    func `markets are subscribed by the exchange's names`(source: String, text: String) throws {
        let source = try #require(PushSource.all.first { $0.name == source })
        let markets = try ["BTC-USD", "ETH-EUR"].map { source.market(try TradingPair(Symbol($0)!)) }
        #expect(source.subscribe(markets) == text)
        #expect(throws: Never.self) { try JSON(parsing: source.unsubscribe(markets).utf8) }
    }
}
