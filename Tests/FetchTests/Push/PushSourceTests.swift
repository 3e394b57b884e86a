import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The messages of the four exchanges, as documented or recorded.
@Suite(.unit) struct PushSourceTests {
    private func message(_ source: PriceSource, _ text: String) throws -> PushSource.Message {
        let message = try #require(source.push).message(JSON(parsing: text.utf8))
        if case .several(let messages) = message, messages.count == 1 { return messages[0] }
        return message
    }

    @Test(
        arguments: [
            // https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
            (
                .binance, "16850.10", "BTCUSDT", 1_672_515_782_136, 1_672_515_782_136,
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10","o":"16500.00"}}"#
            ),
            // 2026-10, from the raw stream /ws/btcusdt@miniTicker
            (
                .binance, "86128.01000000", "BTCUSDT", 1_791_296_828_016, 1_791_296_828_016,
                #"{"e":"24hrMiniTicker","E":1791296828016,"s":"BTCUSDT","c":"86128.01000000","o":"86342.54000000"}"#
            ),
            // 2023-03, bmoscon/cryptofeed
            (
                .coinbase, "22345.67", "BTC-USDT", 7_388_547_310, 1_677_901_040_799,
                #"{"type":"ticker","sequence":7388547310,"product_id":"BTC-USDT","price":"22345.67","time":"2023-03-04T03:37:20.799258Z"}"#
            ),
            // Kraken's documentation; a single ticker, instead of a list
            (
                .kraken, "0.10035", "ETH/USDT", nil, 1_758_791_071_742,
                #"{"channel":"ticker","type":"update","data":[{"symbol":"ETH/USDT","bid":0.10025,"last":0.10035,"timestamp":"2025-09-25T09:04:31.742648Z"}]}"#
            ),
            (
                .kraken, "101", "BTC/USD", nil, 1_790_222_058_000,
                #"{"channel":"ticker","data":{"symbol":"BTC/USD","last":101,"timestamp":"2026-09-24T03:54:18Z"}}"#
            ),
            // 2022-01, bmoscon/cryptofeed
            (
                .bitstamp, "3805.44", "ethusd", 1_641_343_699_596_000, 1_641_343_699_596,
                #"{"data":{"timestamp":"1641343699","price":3805.44,"price_str":"3805.44","microtimestamp":"1641343699596000"},"channel":"live_trades_ethusd","event":"trade"}"#
            ),
        ] as [(PriceSource, String, String, Int?, Int, String)])
    func `a price is read with its market, sequence number and time`(
        source: PriceSource, price: String, market: String, sequence: Int?, time: Int, text: String
    ) throws {
        let expected = PushSource.Message.price(
            Price(price)!, market: market, sequence: sequence, time: Timestamp(milliseconds: time))
        #expect(try message(source, text) == expected)
    }

    @Test func `a message of Kraken may contain several prices`() throws {
        let time = #""timestamp":"2026-09-24T03:54:18Z""#
        let text =
            #"{"channel":"ticker","data":[{"symbol":"A","last":1.5,\#(time)},{"symbol":"B","last":1.2e-7,\#(time)}]}"#
        let prices = [("A", "1.5"), ("B", "0.00000012")].map { market, price in
            PushSource.Message.price(
                Price(price)!, market: market, time: Timestamp("2026-09-24T03:54:18.000Z")!)
        }
        #expect(try message(.kraken, text) == .several(prices))
    }

    @Test(arguments: [
        (PushSource.Message.accepted(), PriceSource.binance, #"{"result":null,"id":1}"#),
        (.accepted(), .binance, #"{"result":null,"id":2}"#),
        (.accepted(), .binance, #"{"error":{"code":2,"msg":"Invalid"},"id":2}"#),
        (.accepted(market: "A"), .kraken, #"{"method":"subscribe","result":{"symbol":"A"}}"#),
        (
            .accepted(market: "A"), .kraken,
            #"{"method":"subscribe","error":"Already subscribed","symbol":"A"}"#
        ),
        (.accepted(market: "a"), .bitstamp, event("bts:subscription_succeeded")),
        (.subscribed([]), .coinbase, #"{"type":"subscriptions","channels":[]}"#),
        (
            .subscribed(["A", "B"]), .coinbase,
            #"{"type":"subscriptions","channels":[{"name":"heartbeat","product_ids":["A"]},{"name":"ticker","product_ids":["A","B"]}]}"#
        ),
        (.ended(market: "A"), .kraken, #"{"method":"unsubscribe","result":{"symbol":"A"},"success":true}"#),
        (.ended(market: "A"), .kraken, #"{"method":"unsubscribe","error":"Not Found","symbol":"A"}"#),
        (.ended(market: "a"), .bitstamp, event("bts:unsubscription_succeeded")),
        (.heartbeat, .coinbase, #"{"type":"heartbeat","sequence":90,"product_id":"A-USD"}"#),
        (.heartbeat, .kraken, #"{"channel":"heartbeat"}"#),
        (.heartbeat, .bitstamp, #"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#),
        (.refused("Invalid request"), .binance, #"{"code":2,"msg":"Invalid request"}"#),
        (.refused("Invalid"), .binance, #"{"error":{"code":2,"msg":"Invalid"},"id":1}"#),
        (.refused("No: why"), .coinbase, #"{"type":"error","message":"No","reason":"why"}"#),
        (.refused("an error without a message"), .coinbase, #"{"type":"error"}"#),
        (.refused("Unknown A"), .kraken, #"{"method":"subscribe","error":"Unknown","symbol":"A"}"#),
        (.refused("Bad"), .bitstamp, #"{"event":"bts:error","data":{"code":null,"message":"Bad"}}"#),
        (.reconnect, .binance, #"{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":17}}"#),
        (.reconnect, .binance, #"{"e":"serverShutdown","E":1770123456789}"#),
        (.reconnect, .bitstamp, #"{"event":"bts:request_reconnect","channel":"","data":""}"#),
        (.other, .kraken, #"{"channel":"status","type":"update","data":[{"system":"online"}]}"#),
        (.other, .binance, #"{"stream":"x","data":{"e":"trade","p":"1"}}"#), (.other, .binance, "{}"),
        (.other, .coinbase, "[]"), (.other, .kraken, "7"), (.other, .bitstamp, #"{"event":"new"}"#),
    ])
    func `each kind of message is recognized`(
        expected: PushSource.Message, source: PriceSource, text: String
    ) throws {
        #expect(try message(source, text) == expected)
    }

    @Test(arguments: [
        (PriceSource.binance, #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"0.00","E":1672515782136}}"#),
        (.binance, #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","E":1672515782136}}"#),
        (.binance, #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1","E":"yesterday"}}"#),
        (.binance, #"{"stream":"btcusdt@miniTicker","data":{"e":"new","s":"BTCUSDT","c":"1"}}"#),
        (.coinbase, #"{"type":"ticker","product_id":"A","price":1,"time":"2023-03-04T03:37:20Z"}"#),
        (.coinbase, #"{"type":"ticker","product_id":"A","price":"-1","time":"2023-03-04T03:37:20Z"}"#),
        (.coinbase, #"{"type":"ticker","price":"1","time":"2023-03-04T03:37:20Z"}"#),
        (.coinbase, #"{"type":"ticker","product_id":"A","price":"1","time":1677901040}"#),
        (.coinbase, #"{"type":"ticker","product_id":"A","price":"1","time":"2023-03-04"}"#),
        (.kraken, #"{"channel":"ticker","data":[{"last":1,"timestamp":"2026-09-24T03:54:18Z"}]}"#),
        (
            .kraken,
            #"{"channel":"ticker","data":[{"symbol":"A","last":"1","timestamp":"2026-09-24T03:54:18Z"}]}"#
        ),
        (.kraken, #"{"channel":"ticker"}"#), (.bitstamp, event("trade")),
        (.bitstamp, event("trade", #"{"price_str":"1","microtimestamp":"-1"}"#)),
        (.bitstamp, event("trade", #"{"price_str":"3,805.44","microtimestamp":"1641343699596000"}"#)),
        (.bitstamp, #"{"data":{"price_str":"1","microtimestamp":"1641343699596000"},"event":"trade"}"#),
        // Without a time
        (.binance, #"{"data":{"e":"24hrMiniTicker","s":"BTCUSDT","c":"1"}}"#),
        (.coinbase, #"{"type":"ticker","product_id":"A","price":"1"}"#),
        (.kraken, #"{"channel":"ticker","data":[{"symbol":"A","last":1.5}]}"#),
        (.bitstamp, event("trade", #"{"price_str":"1"}"#)),
    ])
    func `a malformed price, a price without a time and a price of another stream are unreadable`(
        source: PriceSource, text: String
    ) throws {
        guard case .unreadable = try message(source, text) else {
            Issue.record("\(text)")
            return
        }
    }

    /// A message of Bitstamp.
    private static func event(_ name: String, _ data: String = "null") -> String {
        #"{"event":"\#(name)","channel":"live_trades_a","data":\#(data)}"#
    }

    @Test func `an unreadable ticker affects the market that it, or else its stream, names`() throws {
        let text = { (market: String) in
            #"{"stream":"ethusdt@miniTicker","data":{"e":"24hrMiniTicker",\#(market)"c":"1"}}"#
        }
        let reason = "a message of the stream ethusdt@miniTicker"
        let other = try message(.binance, text(#""s":"BTCUSDT","#))
        #expect(other == .unreadable(market: "BTCUSDT", reason: reason))
        #expect(try message(.binance, text("")) == .unreadable(market: "ETHUSDT", reason: reason))
    }

    @Test(arguments: [
        (
            PriceSource.binance,
            #"{"method":"UNSUBSCRIBE","params":["btcusdt@miniTicker","etheur@miniTicker"],"id":2}"#
        ),
        (
            .coinbase,
            #"{"type":"unsubscribe","product_ids":["BTC-USD","ETH-EUR"],"channels":["ticker","heartbeat"]}"#
        ),
        (
            .kraken,
            #"{"method":"unsubscribe","params":{"channel":"ticker","symbol":["BTC/USD","ETH/EUR"]}}"#
        ),
        (.bitstamp, #"{"event":"bts:unsubscribe","data":{"channel":"live_trades_btcusd"}}"#),
    ])
    func `markets are unsubscribed by the exchange's names`(source: PriceSource, text: String) throws {
        let push = try #require(source.push)
        let markets = try ["BTC-USD", "ETH-EUR"].map { push.name(try source.market(of: Symbol($0)!)) }
        #expect(push.request(.unsubscribe, markets) == text)
    }
}
