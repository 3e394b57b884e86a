import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// A push feed by the clock.
@Suite(.unit) struct PushFeedTests {
    private static let subscription =
        #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}"#

    @Test func `a tick subscribes its symbol and is answered by the first price`() throws {
        let feed = PushTimeline()
        #expect(feed.ask() == nil && feed.server.received == [Self.subscription])
        feed.hear("100.5")
        let reading = try #require(feed.takeAnswers().first?.reading)
        #expect(reading.quote?.price.text == "100.5" && reading.source == "coinbase")
        #expect(reading.quote?.market?.text == "BTC-USD" && reading.quote?.currency.code == "USD")
    }

    @Test func `later ticks are answered at once, and the connection serves all symbols`() {
        let feed = PushTimeline.priced()
        #expect(feed.price() == "100.5" && feed.ask("ETH-USD") == nil)
        feed.hear("3.25", "ETH-USD")
        #expect(feed.price("ETH-USD") == "3.25" && feed.price() == "100.5" && feed.servers.count == 1)
    }

    @Test func `while nothing changes, a heartbeat proves the last price, and its time is the quote's`() {
        let feed = PushTimeline.priced()
        feed.live(20, asking: [])
        let quote = feed.ask()?.quote
        #expect(quote?.price.text == "100.5" && quote?.timestamp == feed.time + .seconds(20))
    }

    @Test(.fault(53)) func `a pong proves nothing about prices, and a feed that says nothing else is left`() {
        let feed = PushTimeline.priced()
        for connections in [1, 2] {
            for _ in 0..<50 {
                feed.pass(.milliseconds(100))
                feed.server.pong()
            }
            #expect(feed.ask() == nil && feed.servers.count == connections)
        }
        #expect(feed.warnings == ["coinbase: the feed is silent; reconnecting"])
    }

    @Test(.fault(53))
    func `a price that has expired is not renewed by a pong, an answer or an unknown message`() {
        let feed = PushTimeline.priced()
        feed.pass(.milliseconds(5100))
        feed.server.pong()
        feed.accept()
        feed.say(#"{"type":"status"}"#)
        #expect(feed.ask() == nil)
        feed.heartbeat()
        #expect(feed.takePrices() == ["100.5"])
    }

    @Test(.fault(53)) func `a feed that stays silent is connected to less and less often, and reported once`()
    {
        let feed = PushTimeline.priced()
        for _ in 0..<600 {
            feed.pass(.seconds(1), inStepsOf: .seconds(1))
            feed.server.pong()
            feed.ask()
        }
        // After 10, 20, 40, 80, 160 and 300 seconds.
        #expect(feed.servers.count == 6 && feed.warnings.count == 1)
    }

    @Test func `a feed whose prices expire soon is not left between two heartbeats`() {
        let start = Deadline.Instant.now
        var sut = Silence(limit: .milliseconds(500), shortest: .seconds(3), at: start)
        let isEarly = sut.isTooLong(at: start + .milliseconds(2999))
        let isDue = sut.isTooLong(at: start + .seconds(3))
        #expect(!isEarly && isDue)
    }

    @Test func `a feed whose heartbeats have to be asked for is asked, and a quiet market keeps its price`() {
        let feed = PushTimeline.priced(.bitstamp)
        for _ in 0..<200 {
            let before = feed.server.received.count
            feed.pass(.seconds(1), inStepsOf: .milliseconds(500))
            if feed.server.received.count > before {
                #expect(feed.server.received.last == #"{"event":"bts:heartbeat"}"#)
                feed.heartbeat()
            }
            #expect(feed.price() == "100.5")
        }
        #expect(feed.servers.count == 1)
    }

    @Test func `a feed that gives no sign of life answers no tick after five seconds, and is left after ten`()
    {
        let feed = PushTimeline.priced()
        feed.pass(.milliseconds(4900))
        #expect(feed.ask() != nil)
        feed.pass(.milliseconds(200))
        #expect(feed.ask() == nil)
        let reading = feed.feed.giveUp(3, Tick(number: 3), after: .milliseconds(800))
        #expect(reading.failures.map(\.kind) == [.timeout])
        feed.pass(.seconds(5))
        #expect(feed.servers.count == 2)
        #expect(feed.warnings == ["feed.example: the server is silent; reconnecting"])
    }

    @Test func `after the end of a connection everything is subscribed again, and only a new price counts`() {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(6))
        feed.heartbeat()
        feed.hangUp()
        feed.pass(.seconds(1))
        #expect(feed.servers.count == 2 && feed.server.received == [Self.subscription])
        // The old price was true a second ago, and is given with that time.
        #expect(feed.ask()?.quote?.timestamp == feed.time + .seconds(6))
        feed.pass(.seconds(5))
        feed.heartbeat()
        #expect(feed.ask() == nil)
        feed.hear("101")
        #expect(feed.takePrices() == ["101"])
    }

    @Test func `a server that cannot be reached is tried after 1, 2, 4 … 30 seconds, and reported once`() {
        let feed = PushTimeline(connects: false)
        for _ in 0..<100 {
            feed.ask()
            feed.pass(.seconds(1))
            feed.hangUp()
        }
        #expect(feed.servers.count == 8 && feed.warnings.count == 1)
    }

    @Test func `a refused symbol is unsupported, and the others go on`() throws {
        let feed = PushTimeline.priced()
        #expect(feed.ask("NO-USD") == nil)
        feed.say(
            #"{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}"#)
        let failure = try #require(feed.takeAnswers().first?.reading.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("NO-USD is not a valid product"))
        #expect(failure.retry == .seconds(60))
        #expect(feed.ask("NO-USD")?.failures.first?.kind == .unsupported)
        #expect(feed.price() == "100.5" && feed.warnings.count == 1)
    }

    @Test(arguments: [(PriceSource.coinbase, "btc", "not a pair"), (.binance, "PAX-GUSD", "GUSD")])
    func `a symbol that is not a pair, or whose market might be another one, is unsupported`(
        source: PriceSource, symbol: String, words: String
    ) throws {
        let failure = try #require(PushTimeline(source).ask(symbol)?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains(words))
    }

    @Test(.fault(54))
    func `a price of a market that nobody has asked for is ignored, and not a sign of life`() {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(4))
        feed.hear("7", "ETH-USD")
        #expect(feed.ask("ETH-USD") == nil)
        feed.pass(.seconds(1))
        #expect(feed.ask() == nil)
    }

    @Test(.fault(54), arguments: [1, 7_388_547_310]) func `an order that goes back begins a new connection`(
        ahead: Int
    ) {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(6))
        feed.hear("102", sequence: ahead + 3600)
        feed.hear("90", sequence: ahead)
        feed.heartbeat()
        // Neither of the two is believed.
        #expect(feed.servers.count == 2 && feed.ask() == nil)
        feed.hear("91", sequence: ahead + 1)
        #expect(feed.takePrices() == ["91"])
        #expect(feed.warnings == ["coinbase: an older message after a newer one: BTC-USD; reconnecting"])
    }

    @Test(.fault(54)) func `a feed whose order goes back again and again is connected to with back-off`() {
        let feed = PushTimeline.priced()
        for _ in 0..<600 {
            feed.ask()
            feed.hear("102", sequence: 2)
            feed.hear("90", sequence: 1)
            feed.pass(.milliseconds(100))
        }
        // After 1, 3, 7, 15, 31 seconds.
        #expect(feed.servers.count == 6 && feed.warnings.count == 1)
    }

    @Test(arguments: [
        (PriceSource.coinbase, "{"), (.coinbase, "\u{1}"),
        (.coinbase, #"{"type":"ticker","product_id":"BTC-USD","price":"1e5"}"#),
        (.coinbase, #"{"type":"ticker","product_id":"BTC-USD","price":"101"}"#),
        (.coinbase, #"{"type":"ticker","product":"BTC-USD","price":"101"}"#),
        (.kraken, #"{"channel":"ticker","type":"update","data":[{"pair":"BTC/USD","last":101}]}"#),
        (.kraken, #"{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","last":"101"}}"#),
        (.binance, #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","c":"101"}}"#),
        (.binance, #"{"stream":"btcusdt@miniTicker","data":{"e":"new","s":"BTCUSDT","c":"101"}}"#),
        (.bitstamp, #"{"event":"trade","channel":"live_trades_btcusd","price_str":"101"}"#),
    ]) func `after a message that cannot be read, or whose form has changed, no old price is given`(
        source: PriceSource, message: String
    ) {
        let feed = PushTimeline.priced(source)
        feed.say(message, message)
        feed.heartbeat()
        #expect(feed.ask() == nil)
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("cannot be read"))
        feed.hear("103")
        #expect(feed.takePrices() == ["103"])
    }

    @Test func `a price that cannot be read concerns its own symbol only`() {
        let feed = PushTimeline.priced()
        feed.ask("ETH-USD")
        feed.hear("3.25", "ETH-USD")
        feed.hear("0", "ETH-USD")
        feed.hear("-1", "XRP-USD")
        #expect(feed.ask("ETH-USD") == nil && feed.price() == "100.5")
        #expect(feed.warnings == ["coinbase: a message that cannot be read: ETH-USD: /price is not a price"])
    }

    @Test func `a symbol that nobody asks for in a minute is unsubscribed`() {
        let feed = PushTimeline.priced()
        feed.live(61, asking: ["ETH-USD"])
        let end = Self.subscription.replacing("subscribe", with: "unsubscribe")
        #expect(feed.server.received.last == end && feed.servers.count == 1 && feed.ask() == nil)
    }

    @Test func `there is a connection only while a symbol is asked for`() {
        let feed = PushTimeline()
        feed.pass(.seconds(10))
        #expect(feed.servers.isEmpty)
        for tick in 1...3 {
            #expect(feed.ask() == nil)
            feed.hear("\(tick)")
            #expect(feed.takePrices() == ["\(tick)"])
            feed.live(60, asking: [])
            #expect(feed.feed.watched.isEmpty && feed.feed.nextDeadline == nil)
            // Ticks may be rarer than that.
            feed.pass(.seconds(30))
            #expect(feed.servers.count == tick)
        }
        #expect(feed.warnings.isEmpty)
    }

    @Test func `a connection is renewed before the exchange ends it`() {
        let feed = PushTimeline(lifetime: .seconds(100))
        feed.live(101)
        #expect(feed.servers.count == 2 && feed.warnings.isEmpty)
    }

    @Test func `a server that asks for a new connection gets it at once, the next ones with back-off`() {
        let feed = PushTimeline(.bitstamp)
        feed.ask()
        feed.pass(.seconds(6))
        let request = #"{"event":"bts:request_reconnect","channel":"","data":""}"#
        feed.say(request)
        #expect(feed.servers.count == 2)
        for _ in 0..<100 {
            feed.say(request)
            feed.pass(.milliseconds(100))
        }
        #expect(feed.servers.count == 4)
    }

    @Test func `a server that ends each connection after five seconds is reported once`() {
        let feed = PushTimeline.priced()
        for _ in 0..<100 {
            feed.live(5)
            feed.say(#"{"type":"error","message":"Disconnected"}"#)
            feed.hangUp()
        }
        let end = "feed.example: the server closed the connection; reconnecting"
        #expect(feed.warnings == ["coinbase: an error: Disconnected", end])
        feed.live(121)
        feed.hangUp()
        #expect(feed.warnings.count == 3)
    }

    @Test(arguments: [
        (
            PriceSource.coinbase,
            #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["ETH-USD"]}]}"#
        ),
        (.coinbase, #"{"type":"subscriptions","channels":[]}"#),
        (
            .kraken,
            #"{"method":"unsubscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#
        ), (.bitstamp, #"{"event":"bts:unsubscription_succeeded","channel":"live_trades_btcusd","data":{}}"#),
    ]) func `a price ends with its subscription, which is asked for again`(source: PriceSource, end: String) {
        let feed = PushTimeline.priced(source)
        let requests = feed.server.received
        feed.say(end)
        feed.heartbeat()
        #expect(feed.ask() == nil)
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("ended the subscription"))
        feed.live(5, asking: [])
        #expect(feed.server.received.filter { $0.contains("subscribe") } == requests + requests)
        feed.hear("101")
        #expect(feed.price() == "101")
    }

    @Test(arguments: [
        (PriceSource.binance, Duration.seconds(60)), (.bitstamp, .seconds(60)), (.coinbase, .seconds(600)),
        (.kraken, .seconds(600)),
    ]) func `a price that is old by its own time is not a quote`(source: PriceSource, limit: Duration) {
        let feed = PushTimeline(source)
        feed.ask()
        feed.accept()
        feed.hear("100", age: limit + .milliseconds(1))
        #expect(feed.takeAnswers().isEmpty)
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("s ago"))
        feed.hear("100", age: limit)
        #expect(feed.takePrices() == ["100"])
    }

    @Test func `while no market trades, no heartbeat proves a price`() {
        let feed = PushTimeline.priced(.kraken)
        feed.say(#"{"channel":"status","type":"update","data":[{"system":"maintenance"}]}"#)
        feed.heartbeat()
        #expect(feed.ask() == nil)
        #expect(feed.warnings == ["kraken: no market trades: the exchange is in the state maintenance"])
        feed.hear("101")
        #expect(feed.price() == "101")
    }

    @Test
    func `a feed may want to be asked for heartbeats while it sends prices, and may answer in plain text`() {
        var source = PriceSource.coinbase
        source.push?.heartbeat = PushSource.Heartbeat(
            request: "ping", answer: "pong", interval: .seconds(20))
        let feed = PushTimeline.priced(source)
        func pings() -> Int { feed.server.received.count { $0 == "ping" } }
        for second in 1...19 {
            feed.pass(.seconds(1))
            feed.hear("100.5", sequence: second)
        }
        #expect(pings() == 0)
        feed.pass(.seconds(1))
        #expect(pings() == 1)
        // In silence it is asked sooner.
        feed.pass(.seconds(3))
        #expect(pings() == 2)
        feed.say("pong")
        feed.pass(.seconds(4))
        #expect(feed.price() == "100.5" && feed.warnings == [])
    }

    @Test func `no tick is answered while more of the feed is waiting to be read`() {
        let feed = PushTimeline.priced()
        feed.server.mayHoldMore = true
        #expect(feed.ask() == nil)
        feed.hear("101")
        #expect(feed.takeAnswers().isEmpty)
        feed.server.mayHoldMore = false
        feed.step()
        #expect(feed.takePrices() == ["101"])
    }

    @Test(arguments: [3, 300]) func `what arrived while the program was suspended is not read`(seconds: Int) {
        let feed = PushTimeline.priced()
        feed.live(6)
        feed.suspend(.seconds(seconds))
        feed.server.say(#"{"type":"ticker","sequence":2,"product_id":"BTC-USD","price":"99"}"#)
        #expect(feed.ask() == nil && feed.servers.count == 2)
        feed.hear("103")
        #expect(feed.takePrices() == ["103"] && feed.warnings.isEmpty)
    }

    @Test
    func `a market about which the feed is silent for a minute is polled once, and the answer is believed`()
        throws
    {
        let client = HTTPClientStub.knowingBitcoin()
        let feed = PushTimeline(.bitstamp, client: client)
        let symbols = ["BTC-USD", "NO-USD"]
        feed.live(59, asking: symbols)
        #expect(client.requests.isEmpty)
        feed.live(5, asking: symbols)
        #expect(client.requests.count == 2, "\(client.requests) \(feed.warnings)")
        let failure = try #require(feed.ask("NO-USD")?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("404"))
        // The one that exists is quiet, and the price of a poll is not one of the feed.
        #expect(feed.ask() == nil && feed.warnings.count == 1)
        feed.live(50, asking: symbols)
        #expect(client.requests.count == 2)
        // After the minute in which that is believed it is polled at once.
        feed.live(15, asking: ["NO-USD"])
        #expect(client.requests.count(where: { $0.url.text.contains("nousd") }) == 2)
        #expect(feed.warnings.count == 1)
    }

    @Test func `a server that refuses the handshake with 429 is left alone as long as it says`() {
        let feed = PushTimeline(connects: false)
        feed.ask()
        feed.server.answer = "HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\n\r\n"
        feed.server.state = .open
        feed.step()
        let failure = feed.takeAnswers().first?.reading.failures.first
        #expect(failure?.kind == .rateLimited && failure?.retry == .seconds(20))
        feed.pass(.milliseconds(19_900))
        #expect(feed.servers.count == 1)
        feed.pass(.milliseconds(200))
        #expect(feed.servers.count == 2)
    }
}
