import PipeCommon
import TestSupport

@testable import price_fetch

typealias PushTimeline = FeedTimeline<PushFeed>

/// A push feed whose simulated server sends messages in the format of the exchange.
extension FeedTimeline where Feed == PushFeed {
    /// - Parameter client: answers the polls for markets that the feed does not mention.
    convenience init(
        _ source: PriceSource = .coinbase, connects: Bool = true, lifetime: Duration? = nil,
        client: HTTPClientStub = .knowingBitcoin(), maxAge: Duration = .seconds(5)
    ) {
        self.init(connects: connects, lifetime: lifetime) { connection, reports, now in
            PushFeed(
                source, source.push!, connection: connection, maxAge: maxAge,
                silentMarkets: SilentMarkets { HTTPFeed(source, client: client, reports: Reports()) },
                reports: reports, now: now)
        }
    }

    /// A feed that is connected, has subscribed to BTC-USD, and has received a price of 100.5.
    static func priced(
        _ source: PriceSource = .coinbase, client: HTTPClientStub = .knowingBitcoin()
    ) -> PushTimeline {
        let feed = PushTimeline(source, client: client)
        feed.ask()
        feed.accept()
        feed.hear("100.5")
        _ = feed.takeAnswers()
        return feed
    }

    /// Lets time pass. Each second, sends a tick for each symbol and then makes the server send a heartbeat. A server
    /// that simulates Binance does not send heartbeats, because Binance's feed does not send any either.
    func live(_ seconds: Int, asking symbols: [String] = ["BTC-USD"]) {
        for _ in 0..<seconds {
            for symbol in symbols { ask(symbol) }
            pass(.seconds(1), inStepsOf: .milliseconds(500))
            heartbeat()
        }
    }

    /// Makes the server accept the subscription to BTC-USD.
    func accept() {
        let answers = [
            "binance": #"{"result":null,"id":1}"#,
            "coinbase": #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["BTC-USD"]}]}"#,
            "kraken":
                #"{"method":"subscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#,
            "bitstamp": #"{"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}"#,
        ]
        say(answers[feed.source.name]!)
    }

    /// Makes the server send a price.
    ///
    /// - Parameters:
    ///   - market: the price's market; only Coinbase's simulated feed can name a market other than BTC-USD.
    ///   - sequence: the sequence number, which only Coinbase's simulated feed sends.
    ///   - age: the age of the price according to its timestamp.
    func hear(_ price: String, _ market: String = "BTC-USD", sequence: Int = 1, age: Duration = .zero) {
        let time = time + now + (.zero - age)
        let text = time.text.dropLast() + "999Z"
        let tickers = [
            "binance":
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":\#(time.milliseconds),"s":"BTCUSDT","c":"\#(price)"}}"#,
            "coinbase":
                #"{"type":"ticker","sequence":\#(sequence),"product_id":"\#(market)","price":"\#(price)","time":"\#(text)"}"#,
            "kraken":
                #"{"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":\#(price),"timestamp":"\#(text)"}]}"#,
            "bitstamp":
                #"{"event":"trade","channel":"live_trades_btcusd","data":{"price_str":"\#(price)","microtimestamp":"\#(time.milliseconds)999"}}"#,
        ]
        say(tickers[feed.source.name]!)
    }

    func heartbeat() {
        let heartbeats = [
            "coinbase": #"{"type":"heartbeat","product_id":"BTC-USD"}"#,
            "kraken": #"{"channel":"heartbeat"}"#,
            "bitstamp": #"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#,
        ]
        if let heartbeat = heartbeats[feed.source.name] { say(heartbeat) }
    }
}

extension HTTPClientStub {
    /// A client that answers in the formats of Bitstamp and Coinbase. The only market that it knows is BTC-USD.
    static func knowingBitcoin(at price: String = "100.5") -> HTTPClientStub {
        HTTPClientStub { request in
            let isKnown = ["btcusd", "BTC-USD"].contains(where: request.url.text.contains)
            let now = Timestamp.now()
            let times = #""timestamp":"\#(now.milliseconds / 1000)","time":"\#(now.text)""#
            let body = #"{"last":"\#(price)","price":"\#(price)",\#(times)}"#
            return .success(HTTPResponse(status: isKnown ? 200 : 404, body: Array(body.utf8)))
        }
    }
}
