import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// When a push feed connects and subscribes, how long its prices are used, and when a market is polled. The clock is
/// simulated.
@Suite(.unit) struct PushFeedTests {
    private static let subscription =
        #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}"#

    @Test func `a symbol's first tick subscribes and waits for a price, but later ticks do not have to wait`()
        throws
    {
        let feed = PushTimeline()
        #expect(feed.ask() == nil && feed.server.received == [Self.subscription])
        feed.hear("100.5")
        let reading = try #require(feed.takeAnswers().first?.reading)
        #expect(reading.quote?.price.text == "100.5" && reading.source == "coinbase")
        #expect(reading.quote?.market?.text == "BTC-USD" && reading.quote?.currency.code == "USD")
        #expect(feed.price() == "100.5")
        // One connection serves all symbols.
        #expect(feed.ask("ETH-USD") == nil)
        feed.hear("3.25", "ETH-USD")
        #expect(feed.price("ETH-USD") == "3.25" && feed.price() == "100.5" && feed.servers.count == 1)
    }

    @Test func `a heartbeat confirms the last price, and the quote's timestamp is the heartbeat's time`() {
        let feed = PushTimeline.priced()
        feed.live(20, asking: [])
        let quote = feed.ask()?.quote
        #expect(quote?.price.text == "100.5" && quote?.timestamp == feed.time + .seconds(20))
    }

    @Test(.fault(53)) func `if only pongs arrive, prices are not confirmed, and the program reconnects`() {
        let feed = PushTimeline.priced()
        for connections in [1, 2] {
            for _ in 0..<50 {
                feed.pass(.milliseconds(100))
                feed.server.control(.pong)
            }
            #expect(feed.ask() == nil && feed.servers.count == connections)
        }
        #expect(feed.warnings == ["coinbase: the feed is silent; reconnecting"])
    }

    @Test(.fault(53)) func `a pong, a reply or an unknown message does not confirm an expired price`() {
        let feed = PushTimeline.priced()
        feed.pass(.milliseconds(5100))
        feed.server.control(.pong)
        feed.accept()
        // A message of exactly 256 KiB
        feed.say(#"{"type":"status"}"# + String(repeating: " ", count: 262_127))
        #expect(feed.ask() == nil)
        feed.heartbeat()
        #expect(feed.takePrices() == ["100.5"])
    }

    @Test(.fault(53)) func `while a feed stays silent, the program reconnects to it less and less often`() {
        let feed = PushTimeline.priced()
        for second in 0..<610 {
            feed.pass(.seconds(1), inStepsOf: .seconds(1))
            feed.server.control(.pong)
            // The feed does not count as alive, so this market, which does not exist, is not polled.
            if second.isMultiple(of: 5) { feed.ask("NO-USD") }
        }
        // The first six connections last 10, 20, 40, 80, 160 and 300 seconds.
        #expect(feed.servers.count == 7 && feed.warnings.count == 1)
    }

    @Test func `the program reconnects to a silent feed after 3 s, even if --max-age is shorter`() {
        let feed = PushTimeline(maxAge: .milliseconds(500))
        feed.ask()
        for (duration, connections) in [(2900, 1), (100, 2)] {
            feed.pass(.milliseconds(duration))
            #expect(feed.servers.count == connections)
        }
    }

    @Test func `heartbeats are requested from Bitstamp, so that the price of a quiet market stays valid`() {
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

    @Test func `a silent feed's prices are used for 5 s, and the program reconnects after 10 s`() {
        let feed = PushTimeline.priced()
        feed.pass(.milliseconds(4900))
        #expect(feed.ask() != nil && feed.server.controls == [9])
        feed.pass(.milliseconds(200))
        #expect(feed.ask() == nil)
        #expect(feed.feed.giveUp(3, Tick(number: 3), after: .zero).failures.map(\.kind) == [.timeout])
        feed.pass(.seconds(5))
        feed.hear("101")
        #expect(feed.servers.count == 2 && feed.takeAnswers().isEmpty)
        #expect(feed.warnings == ["feed.example: the server is silent; reconnecting"])
    }

    @Test
    func `after a reconnection, the subscription is renewed, but heartbeats do not confirm the old price`() {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(6))
        feed.heartbeat()
        feed.hangUp()
        feed.pass(.seconds(1))
        #expect(feed.servers.count == 2 && feed.server.received == [Self.subscription])
        // The old price is still valid. The timestamp of its quote is the time of the last heartbeat.
        #expect(feed.ask()?.quote?.timestamp == feed.time + .seconds(6))
        feed.pass(.seconds(5))
        feed.heartbeat()
        #expect(feed.ask() == nil)
        feed.hear("101")
        #expect(feed.takePrices() == ["101"])
    }

    @Test func `while a server is unreachable, the pauses between attempts grow from 1 to 30 seconds`() {
        let feed = PushTimeline(connects: false)
        let problem = { feed.feed.giveUp(0, Tick(), after: .zero).failures.first?.message }
        #expect(problem() == "not connected yet")
        for _ in 0..<100 {
            feed.ask()
            feed.pass(.seconds(1))
            feed.hangUp()
        }
        #expect(feed.servers.count == 8 && feed.warnings.count == 1)
        // The ninth attempt begins after 121 seconds, and the server stays silent for ten seconds.
        feed.pass(.seconds(31))
        #expect(problem() == "no answer to the handshake")
    }

    @Test func `a rejected symbol counts as unsupported, and the other symbols are not affected`() throws {
        let feed = PushTimeline.priced()
        #expect(feed.ask("NO-USD") == nil)
        // An empty list that answers the request does not end the other subscriptions.
        feed.say(#"{"type":"subscriptions","channels":[]}"#, #"{"type":"error","message":"NO-USD"}"#)
        let failure = try #require(feed.takeAnswers().first?.reading.failures.first)
        #expect(failure.kind == .unsupported && failure.message == "NO-USD" && failure.retry == .seconds(60))
        #expect(feed.ask("NO-USD")?.failures.first?.kind == .unsupported)
        #expect(feed.price() == "100.5" && feed.warnings.count == 1)
        // The rejected symbol is not polled, so its rejection expires after a minute.
        feed.live(61)
        #expect(feed.ask("NO-USD") == nil)
    }

    @Test(arguments: [(PriceSource.coinbase, "btc", "not a pair"), (.binance, "PAX-GUSD", "GUSD")])
    func `a symbol that is not a pair, or whose market is ambiguous, is unsupported`(
        source: PriceSource, symbol: String, words: String
    ) throws {
        let failure = try #require(PushTimeline(source).ask(symbol)?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains(words))
    }

    @Test(.fault(54)) func `a price for a market that was not requested does not confirm other prices`() {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(4))
        feed.hear("7", "ETH-USD")
        #expect(feed.ask("ETH-USD") == nil)
        feed.pass(.seconds(1))
        #expect(feed.ask() == nil)
    }

    @Test(.fault(54), arguments: [1, 7_388_547_310])
    func `a message older than the preceding message causes a new connection`(ahead: Int) {
        let feed = PushTimeline.priced()
        feed.pass(.seconds(6))
        feed.hear("102", sequence: ahead + 3600)
        feed.hear("90", sequence: ahead)
        feed.heartbeat()
        // Neither of the two prices is used.
        #expect(feed.servers.count == 2 && feed.ask() == nil)
        feed.hear("91", sequence: ahead + 1)
        #expect(feed.takePrices() == ["91"])
        #expect(feed.warnings == ["coinbase: messages about BTC-USD are out of order; reconnecting"])
    }

    @Test(arguments: [
        (PriceSource.coinbase, "{"), (.coinbase, String(repeating: " ", count: 262_143) + "{}"),
        (.coinbase, #"{"type":"ticker","product_id":"BTC-USD","price":"1e5"}"#),
        (.kraken, #"{"channel":"ticker","type":"update","data":[{"pair":"BTC/USD","last":101}]}"#),
        (.binance, #"{"stream":"btcusdt@miniTicker","data":{"e":"new","s":"BTCUSDT","c":"101"}}"#),
    ])
    func `old prices are not used after an unreadable message`(source: PriceSource, message: String) {
        let feed = PushTimeline.priced(source)
        feed.say(message, message)
        feed.heartbeat()
        #expect(feed.ask() == nil)
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("cannot use"))
        feed.hear("103")
        #expect(feed.takePrices() == ["103"])
    }

    @Test func `a price that cannot be read affects only its own symbol`() {
        let feed = PushTimeline.priced()
        feed.ask("ETH-USD")
        feed.hear("3.25", "ETH-USD")
        feed.hear("0", "ETH-USD")
        feed.hear("-1", "XRP-USD")
        #expect(feed.ask("ETH-USD") == nil && feed.price() == "100.5")
        #expect(feed.warnings == ["coinbase: cannot use a message about ETH-USD: /price is not a price"])
    }

    @Test func `a subscription is canceled after a minute without ticks for its symbol`() {
        let feed = PushTimeline.priced()
        feed.live(61, asking: ["ETH-USD"])
        let end = Self.subscription.replacing("subscribe", with: "unsubscribe")
        #expect(feed.server.received.last == end && feed.servers.count == 1 && feed.ask() == nil)
    }

    @Test func `the feed connects when a tick arrives and disconnects after a minute without ticks`() {
        let feed = PushTimeline()
        feed.pass(.seconds(10))
        #expect(feed.servers.isEmpty)
        for tick in 1...3 {
            #expect(feed.ask() == nil)
            feed.hear("\(tick)")
            #expect(feed.takePrices() == ["\(tick)"])
            feed.live(60, asking: [])
            #expect(feed.feed.watched.isEmpty && feed.feed.nextDeadline == nil)
            // The feed stays disconnected until the next tick.
            feed.pass(.seconds(30))
            #expect(feed.servers.count == tick)
        }
        #expect(feed.warnings.isEmpty)
    }

    @Test func `a connection is replaced before the exchange closes it`() {
        let feed = PushTimeline(lifetime: .seconds(100))
        feed.live(101)
        #expect(feed.servers.count == 2 && feed.warnings.isEmpty)
    }

    @Test(.fault(54))
    func `if the exchange keeps requesting a reconnection, the program reconnects only after growing pauses`()
    {
        let feed = PushTimeline(.bitstamp)
        for symbol in ["BTC-USD", "ETH-USD"] { feed.ask(symbol) }
        feed.pass(.seconds(6))
        let request = #"{"event":"bts:request_reconnect","channel":"","data":""}"#
        feed.say(request)
        // A heartbeat was also requested on the first connection, because the feed was silent.
        #expect(feed.servers.map(\.received.count) == [3, 2])
        for _ in 0..<100 {
            feed.say(request)
            feed.pass(.milliseconds(100))
        }
        #expect(feed.servers.count == 4)
    }

    @Test func `a server that closes each connection after five seconds is reported once`() {
        let feed = PushTimeline.priced()
        for _ in 0..<25 {
            feed.live(5)
            feed.say(#"{"type":"error","message":"Disconnected"}"#)
            feed.hangUp()
        }
        let end = "feed.example: the server closed the connection; reconnecting"
        #expect(feed.warnings == ["coinbase: the exchange reports an error: Disconnected", end])
        feed.live(60)
        feed.accept()
        feed.hear("100.5")
        feed.live(121)
        // The server sends a close frame but does not end the connection within a second.
        feed.server.control(.close)
        feed.pass(.milliseconds(900))
        #expect(feed.warnings.count == 3 && feed.server.controls.last == 8)
        feed.pass(.milliseconds(200))
        #expect(feed.warnings.dropFirst(2) == ["feed.example: answers again", end])
    }

    @Test(arguments: [
        (PriceSource.coinbase, #"{"type":"subscriptions","channels":[]}"#),
        (.coinbase, #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["A"]}]}"#),
        (.kraken, #"{"method":"unsubscribe","result":{"symbol":"BTC/USD"},"success":true}"#),
    ])
    func `when the exchange ends a subscription, the price is discarded, and the subscription is renewed`(
        source: PriceSource, end: String
    ) {
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
    ])
    func `a price dated too far in the past or future is rejected`(source: PriceSource, limit: Duration) {
        let feed = PushTimeline(source)
        feed.ask()
        feed.accept()
        feed.hear("100", age: limit + .milliseconds(1))
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("s ago: this machine's clock"))
        feed.hear("100", age: .seconds(-6))
        #expect(feed.takeAnswers().isEmpty)
        feed.hear("100", age: limit)
        #expect(feed.takePrices() == ["100"])
    }

    @Test func `after the exchange rejects a market, the market's last price is not used`() {
        let feed = PushTimeline.priced(.kraken)
        feed.say(#"{"method":"subscribe","success":false,"error":"not supported","symbol":"BTC/USD"}"#)
        feed.live(58)
        #expect(feed.ask()?.failures.first?.kind == .unsupported)
        feed.live(3)
        #expect(feed.ask() == nil)
    }

    @Test func `while trading is halted, heartbeats do not confirm prices`() {
        let feed = PushTimeline.priced(.kraken)
        feed.say(#"{"channel":"status","type":"update","data":[{"system":"maintenance"}]}"#)
        feed.heartbeat()
        let words = "discarded the last prices of all markets: the exchange's state is maintenance"
        #expect(feed.ask() == nil && feed.warnings == ["kraken: \(words)"])
        // A price from before the halt is not current either.
        feed.hear("99", age: .seconds(60))
        #expect(feed.ask() == nil)
        feed.hear("101")
        #expect(feed.price() == "101")
    }

    @Test func `if a heartbeat interval is set, heartbeats are requested even while the feed sends prices`() {
        var source = PriceSource.coinbase
        source.push?.heartbeat = PriceSource.okx.push?.heartbeat
        let feed = PushTimeline.priced(source)
        func pings() -> Int { feed.server.received.count { $0 == "ping" } }
        for second in 1...19 {
            feed.pass(.seconds(1))
            feed.hear("100.5", sequence: second)
        }
        #expect(pings() == 0)
        feed.pass(.seconds(1))
        #expect(pings() == 1)
        // During silence, a heartbeat is requested sooner.
        feed.pass(.seconds(3))
        #expect(pings() == 2)
        feed.say("pong")
        feed.pass(.seconds(4))
        #expect(feed.price() == "100.5" && feed.warnings == [])
    }

    @Test func `ticks are not answered until all waiting messages of the feed are read`() {
        let feed = PushTimeline.priced()
        feed.server.mayHoldMore = true
        #expect(feed.ask() == nil)
        feed.hear("101")
        #expect(feed.takeAnswers().isEmpty)
        feed.server.mayHoldMore = false
        feed.step()
        #expect(feed.takePrices() == ["101"])
    }

    @Test(arguments: [2, 300])
    func `messages that arrived while the program was suspended are not used`(seconds: Int) {
        let feed = PushTimeline.priced()
        feed.live(6)
        feed.suspend(.seconds(seconds))
        feed.server.say(#"{"type":"ticker","sequence":2,"product_id":"BTC-USD","price":"99"}"#)
        #expect(feed.ask() == nil && feed.servers.count == 2)
        feed.hear("103")
        #expect(feed.takePrices() == ["103"] && feed.warnings.isEmpty)
    }

    @Test(.fault(65), arguments: [("92.4", "92.4"), ("100.50", "100.5")])
    func `a silent subscription is renewed if the polled price is different`(polled: String, price: String) {
        // Given a stream that stops at 100.5 while heartbeats continue
        let feed = PushTimeline.priced(.bitstamp, client: .knowingBitcoin(at: polled))
        // When the stream has not sent a price for a minute
        feed.live(59)
        #expect(feed.price() == "100.5")
        feed.live(3)
        // Then a different polled price is used and the subscription is renewed; an equal price changes nothing
        #expect(feed.price() == price)
        #expect(feed.server.received.contains { $0.contains("bts:unsubscribe") } == (polled == "92.4"))
        let text =
            "bitstamp: btcusd's price has stopped at 100.5, but the polled price is 92.4; subscribing again"
        #expect(feed.warnings == (polled == "92.4" ? [text] : []))
        // An unreadable message may contain a newer price, so the polled price is not used either.
        feed.say(#"{"event":"trade","channel":"live_trades_btcusd","data":{}}"#)
        #expect(feed.ask() == nil)
        // When the feed sends a price again, that price is used.
        feed.hear("93")
        #expect(feed.price() == "93")
    }

    @Test func `a polled price is used until the stopped stream sends a different price`() {
        let feed = PushTimeline.priced(.coinbase, client: .knowingBitcoin(at: "92.4"))
        feed.live(62)
        #expect(feed.price() == "92.4")
        feed.hear("100.5", sequence: 2, age: .seconds(62))
        #expect(feed.price() == "92.4")
        feed.hear("93", sequence: 3, age: .seconds(62))
        #expect(feed.price() == "93")
        // If a message is out of order, the latest price is unknown, and the polled price is not used again.
        feed.hear("100.5", sequence: 2, age: .seconds(62))
        #expect(feed.ask() == nil)
    }

    @Test func `a price that the feed sends during a poll is not replaced by the polled price`() {
        let client = HTTPClientStub.knowingBitcoin(at: "92.4")
        let feed = PushTimeline.priced(.bitstamp, client: client)
        client.isHolding = true
        // The first poll ends after five seconds without an answer, and the next poll begins a minute later.
        feed.live(125)
        #expect(client.requests.count == 2 && client.givenUp.count == 1)
        feed.hear("101")
        client.isHolding = false
        #expect(feed.price() == "101" && feed.warnings == [])
    }

    @Test func `a market is polled if the feed does not mention it for a minute`() throws {
        let client = HTTPClientStub.knowingBitcoin()
        let feed = PushTimeline(.bitstamp, client: client)
        let symbols = ["BTC-USD", "NO-USD"]
        feed.live(59, asking: symbols)
        #expect(client.requests.isEmpty)
        feed.live(5, asking: symbols)
        #expect(client.requests.count == 2, "\(client.requests) \(feed.warnings)")
        let failure = try #require(feed.ask("NO-USD")?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("404"))
        // The market of BTC-USD exists but is quiet, and its polled price is not used.
        #expect(feed.ask() == nil && feed.warnings.count == 1)
        feed.live(50, asking: symbols)
        #expect(client.requests.count == 2)
        // NO-USD's rejection expires after a minute. The next tick for NO-USD then causes a poll at once.
        // BTC-USD is no longer polled after a minute without ticks for it.
        feed.live(66, asking: ["NO-USD", "WBTC-USD"])
        #expect(["nousd", "/btcusd"].map { name in client.urls.count { $0.contains(name) } } == [2, 2])
    }

    @Test func `after a handshake is rejected with 429, the next attempt waits for the time in Retry-After`()
    {
        let feed = PushTimeline(connects: false)
        feed.ask()
        feed.server.answer = "HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\n\r\n"
        feed.server.state = .open
        feed.step()
        let failure = feed.takeAnswers().first?.reading.failures.first
        #expect(failure?.kind == .rateLimited && failure?.retry == .seconds(20))
        feed.pass(.milliseconds(19_900))
        #expect(feed.servers.count == 1 && feed.ask()?.failures.first?.retry == .milliseconds(100))
        feed.pass(.milliseconds(200))
        #expect(feed.servers.count == 2 && feed.ask() == nil)
    }
}
