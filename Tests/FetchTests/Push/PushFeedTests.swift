import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// A push feed by the clock: a server without a network, and a time that only the test moves.
@Suite(.unit) struct PushFeedTests {
    /// A feed, its servers in the order in which they were connected to, and the time.
    fileprivate final class Bench {
        let start = Deadline.Instant.now
        let time = Timestamp.now()
        fileprivate(set) var now = Duration.zero
        private(set) var servers: [ServerStub] = []
        private(set) var warnings: [String] = []
        private var nextID = 0
        private var answers: [Answer] = []
        private(set) var feed: PushFeed!
        private let connects: Bool
        /// Bitstamp, which has BTC-USD only.
        let client = HTTPClientStub { request in
            let isKnown = ["btcusd", "BTC-USD"].contains(where: request.url.text.contains)
            let body = #"{"last":"5","timestamp":"\#(Timestamp.now().milliseconds / 1000)"}"#
            return .success(HTTPResponse(status: isKnown ? 200 : 404, body: Array(body.utf8)))
        }

        init(_ source: PushSource = .coinbase, connects: Bool = true, lifetime: Duration? = nil) {
            self.connects = connects
            let polled = PriceSource.all.first { $0.name == source.name }!
            let silentMarkets = SilentMarkets { [client] in HTTPFeed(polled, client: client) }
            let connection = FeedConnection(
                "wss://feed.example", silenceLimit: .seconds(5), lifetime: lifetime,
                connect: { [unowned self] _ in
                    let server = ServerStub()
                    if self.connects { server.state = .open }
                    servers.append(server)
                    return server
                }, at: start, warn: { [unowned self] in warnings.append($0) })
            feed = PushFeed(
                source, connection: connection, maxAge: .seconds(5), silentMarkets: silentMarkets,
                now: { [unowned self] in time + now })
        }

        var server: ServerStub { servers.last! }

        /// Lets the time pass, step by step, as the poll loop does.
        func pass(_ duration: Duration, inStepsOf length: Duration = .milliseconds(100)) {
            let end = now + duration
            while now < end {
                now = min(end, now + length)
                step()
            }
        }

        func step() {
            // Several times: what was sent may be answered at once.
            for _ in 0..<3 { answers += feed.advance([], at: start + now) }
            // A deadline that stays in the past would keep a processor busy.
            let due = feed.nextDeadline?.hasPassed(at: start + now) ?? false
            #expect(!due || server.mayHoldMore)
        }

        /// Lets the seconds pass, with a tick of each symbol and a message in each.
        func live(_ seconds: Int, asking symbols: [String] = ["BTC-USD"], hearing message: String? = nil) {
            for _ in 0..<seconds {
                for symbol in symbols { _ = ask(symbol) }
                pass(.seconds(1), inStepsOf: .milliseconds(500))
                if let message { say(message) }
            }
        }

        func say(_ text: String) {
            server.say(text)
            step()
        }

        func price(_ price: String, _ market: String = "BTC-USD", sequence: Int = 1) {
            say(#"{"type":"ticker","sequence":\#(sequence),"product_id":"\#(market)","price":"\#(price)"}"#)
        }

        /// The answers since the last call.
        func takeAnswers() -> [Answer] {
            defer { answers = [] }
            return answers
        }

        /// Asks with a tick, and gives the answer if there is one at once.
        func ask(_ symbol: String = "BTC-USD") -> Reading? {
            nextID += 1
            let tick = Tick(number: nextID, symbol: Symbol(symbol)!)
            feed.ask(nextID, tick, within: .milliseconds(800), at: start + now)
            step()
            return takeAnswers().first { $0.id == nextID }?.reading
        }
    }

    /// A feed that is connected, subscribed to BTC-USD, and has a price.
    private func makeSUT() -> Bench {
        let bench = Bench()
        _ = bench.ask()
        bench.say(#"{"type":"subscriptions","channels":[]}"#)
        bench.price("100.5")
        _ = bench.takeAnswers()
        return bench
    }

    @Test func `a tick subscribes its symbol and is answered by the first price`() throws {
        let bench = Bench()
        #expect(bench.ask() == nil)
        #expect(
            bench.server.received == [
                #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}"#
            ])
        bench.price("100.5")
        let reading = try #require(bench.takeAnswers().first?.reading)
        #expect(reading.quote?.price.text == "100.5" && reading.source == "coinbase")
        #expect(reading.quote?.market?.text == "BTC-USD" && reading.quote?.currency.code == "USD")
    }

    @Test func `later ticks are answered at once, and the connection serves all symbols`() {
        let bench = makeSUT()
        #expect(bench.ask()?.quote?.price.text == "100.5")
        #expect(bench.ask("ETH-USD") == nil)
        bench.price("3.25", "ETH-USD")
        #expect(bench.ask("ETH-USD")?.quote?.price.text == "3.25")
        #expect(bench.ask()?.quote?.price.text == "100.5")
        #expect(bench.servers.count == 1)
    }

    @Test func `while nothing changes, a heartbeat proves the last price, and its time is the quote's`() {
        let bench = makeSUT()
        for _ in 0..<20 {
            bench.pass(.seconds(1))
            bench.say(#"{"type":"heartbeat","sequence":90,"product_id":"BTC-USD"}"#)
        }
        let quote = bench.ask()?.quote
        #expect(quote?.price.text == "100.5" && quote?.timestamp == bench.time + .seconds(20))
    }

    @Test(.fault(53)) func `a pong proves nothing about prices, and a feed that says nothing else is left`() {
        let bench = makeSUT()
        for _ in 0..<50 {
            bench.pass(.milliseconds(100))
            bench.server.pong()
        }
        #expect(bench.ask() == nil && bench.servers.count == 1)
        for _ in 0..<50 {
            bench.pass(.milliseconds(100))
            bench.server.pong()
        }
        #expect(bench.servers.count == 2)
        #expect(bench.warnings == ["coinbase: the feed is silent; reconnecting"])
    }

    @Test(.fault(53))
    func `a price that has expired is not renewed by a pong, an answer or an unknown message`() {
        let bench = makeSUT()
        bench.pass(.milliseconds(5100))
        bench.server.pong()
        bench.say(#"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["BTC-USD"]}]}"#)
        bench.say(#"{"type":"status"}"#)
        #expect(bench.ask() == nil)
        bench.say(#"{"type":"heartbeat"}"#)
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "100.5")
    }

    @Test(.fault(53)) func `a feed that stays silent is connected to less and less often, and reported once`()
    {
        let bench = makeSUT()
        for _ in 0..<600 {
            bench.pass(.seconds(1), inStepsOf: .seconds(1))
            bench.server.pong()
            _ = bench.ask()
        }
        // After 10, 20, 40, 80, 160 and 300 seconds.
        #expect(bench.servers.count == 6)
        #expect(bench.warnings.count == 1)
    }

    @Test func `a feed whose prices expire soon is not left between two heartbeats`() {
        var sut = FeedSilence(maxAge: .milliseconds(500), at: .now)
        let start = Deadline.Instant.now
        sut.hear(at: start)
        let isEarly = sut.isTooLong(at: start + .milliseconds(2999))
        let isDue = sut.isTooLong(at: start + .seconds(3))
        #expect(!isEarly && isDue)
    }

    @Test func `a feed whose heartbeats have to be asked for is asked, and a quiet market keeps its price`() {
        let bench = Bench(.bitstamp)
        _ = bench.ask()
        let time = (bench.time + bench.now).milliseconds
        bench.say(
            #"{"event":"trade","channel":"live_trades_btcusd","data":{"price_str":"7","microtimestamp":"\#(time)000"}}"#
        )
        for _ in 0..<200 {
            let before = bench.server.received.count
            bench.pass(.seconds(1), inStepsOf: .milliseconds(500))
            if bench.server.received.count > before {
                #expect(bench.server.received.last == #"{"event":"bts:heartbeat"}"#)
                bench.say(#"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#)
            }
            #expect(bench.ask()?.quote?.price.text == "7")
        }
        #expect(bench.servers.count == 1)
    }

    @Test func `a feed that gives no sign of life answers no tick after five seconds, and is left after ten`()
        throws
    {
        let bench = makeSUT()
        bench.pass(.milliseconds(4900))
        #expect(bench.ask() != nil)
        bench.pass(.milliseconds(200))
        #expect(bench.ask() == nil)
        let reading = bench.feed.giveUp(3, Tick(number: 3), after: .milliseconds(800))
        #expect(reading.failures.map(\.kind) == [.timeout])
        bench.pass(.seconds(5))
        #expect(bench.servers.count == 2)
        #expect(bench.warnings == ["feed.example: the server is silent; reconnecting"])
    }

    @Test func `after the end of a connection everything is subscribed again, and only a new price counts`() {
        let bench = makeSUT()
        bench.pass(.seconds(6))
        bench.say(#"{"type":"heartbeat"}"#)
        bench.server.state = .ended("the server closed the connection")
        bench.pass(.seconds(1))
        #expect(bench.servers.count == 2)
        #expect(bench.server.received.count == 1)
        // The old price was true a second ago, and is given with that time.
        #expect(bench.ask()?.quote?.timestamp == bench.time + .seconds(6))
        bench.pass(.seconds(5))
        bench.say(#"{"type":"heartbeat"}"#)
        #expect(bench.ask() == nil)
        bench.price("101")
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "101")
    }

    @Test func `a server that cannot be reached is tried after 1, 2, 4 … 30 seconds, and reported once`() {
        let bench = Bench(connects: false)
        for _ in 0..<100 {
            _ = bench.ask()
            bench.pass(.seconds(1))
            bench.server.state = .ended("refused")
            bench.step()
        }
        #expect(bench.servers.count == 8)
        #expect(bench.warnings.count == 1)
    }

    @Test func `a refused symbol is unsupported, and the others go on`() throws {
        let bench = makeSUT()
        #expect(bench.ask("NO-USD") == nil)
        bench.say(
            #"{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}"#)
        let failure = try #require(bench.takeAnswers().first?.reading.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("NO-USD is not a valid product"))
        #expect(failure.retry == .seconds(60))
        #expect(bench.ask("NO-USD")?.failures.first?.kind == .unsupported)
        #expect(bench.ask()?.quote?.price.text == "100.5")
        #expect(bench.warnings.count == 1)
    }

    @Test func `a symbol that is not a pair is unsupported`() {
        #expect(makeSUT().ask("btc")?.failures.first?.kind == .unsupported)
    }

    @Test func `a symbol whose market might be another one is unsupported`() throws {
        let bench = Bench(.binance)
        let failure = try #require(bench.ask("PAX-GUSD")?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("GUSD"))
    }

    @Test func `prices of markets that nobody has asked for are ignored`() {
        let bench = makeSUT()
        bench.price("7", "ETH-USD")
        #expect(bench.ask("ETH-USD") == nil)
    }

    @Test(.fault(54), arguments: [1, 7_388_547_310]) func `an order that goes back begins a new connection`(
        ahead: Int
    ) {
        let bench = makeSUT()
        bench.pass(.seconds(6))
        bench.price("102", sequence: ahead + 3600)
        bench.price("90", sequence: ahead)
        bench.say(#"{"type":"heartbeat"}"#)
        // Neither of the two is believed.
        #expect(bench.servers.count == 2 && bench.ask() == nil)
        bench.price("91", sequence: ahead + 1)
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "91")
        #expect(bench.warnings == ["coinbase: an older message after a newer one: BTC-USD; reconnecting"])
    }

    @Test(.fault(54)) func `a feed whose order goes back again and again is connected to with back-off`() {
        let bench = makeSUT()
        for _ in 0..<600 {
            _ = bench.ask()
            bench.price("102", sequence: 2)
            bench.price("90", sequence: 1)
            bench.pass(.milliseconds(100))
        }
        // After 1, 3, 7, 15, 31 seconds.
        #expect(bench.servers.count == 6)
        #expect(bench.warnings.count == 1)
    }

    @Test(.fault(54)) func `a message whose price is ignored is not a sign of life`() {
        let bench = makeSUT()
        bench.pass(.seconds(4))
        bench.price("7", "ETH-USD")
        bench.pass(.seconds(1))
        #expect(bench.ask() == nil)
    }

    @Test(arguments: ["{", "\u{1}", #"{"type":"ticker","product_id":"BTC-USD","price":"1e5"}"#])
    func `after a message that cannot be read, no old price is given`(message: String) {
        let bench = makeSUT()
        bench.say(message)
        #expect(bench.ask() == nil && bench.warnings.count == 1)
        bench.price("103", sequence: 9)
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "103")
    }

    @Test func `a price that cannot be read concerns its own symbol only`() {
        let bench = makeSUT()
        _ = bench.ask("ETH-USD")
        bench.price("3.25", "ETH-USD")
        bench.price("0", "ETH-USD")
        bench.price("-1", "XRP-USD")
        #expect(bench.ask("ETH-USD") == nil)
        #expect(bench.ask()?.quote?.price.text == "100.5")
        #expect(bench.warnings == ["coinbase: a message that cannot be read: ETH-USD: /price is not a price"])
    }

    @Test func `a symbol that nobody asks for in a minute is unsubscribed`() {
        let bench = makeSUT()
        bench.live(61, asking: ["ETH-USD"], hearing: #"{"type":"heartbeat"}"#)
        #expect(
            bench.server.received.last
                == #"{"type":"unsubscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}"#)
        #expect(bench.servers.count == 1 && bench.ask() == nil)
    }

    @Test func `there is a connection only while a symbol is asked for`() {
        let bench = Bench()
        bench.pass(.seconds(10))
        #expect(bench.servers.isEmpty)
        for tick in 1...3 {
            #expect(bench.ask() == nil)
            bench.price("\(tick)")
            #expect(bench.takeAnswers().first?.reading.quote?.price.text == "\(tick)")
            bench.live(60, asking: [], hearing: #"{"type":"heartbeat"}"#)
            #expect(bench.feed.watched.isEmpty && bench.feed.nextDeadline == nil)
            // Ticks may be rarer than that.
            bench.pass(.seconds(30))
            #expect(bench.servers.count == tick)
        }
        #expect(bench.warnings.isEmpty)
    }

    @Test func `a connection is renewed before the exchange ends it`() {
        let bench = Bench(lifetime: .seconds(100))
        bench.live(101, hearing: #"{"type":"heartbeat"}"#)
        #expect(bench.servers.count == 2 && bench.warnings.isEmpty)
    }

    @Test func `a server that asks for a new connection gets it at once, the next ones with back-off`() {
        let bench = Bench(.bitstamp)
        let request = #"{"event":"bts:request_reconnect","channel":"","data":""}"#
        _ = bench.ask()
        bench.pass(.seconds(6))
        bench.say(request)
        #expect(bench.servers.count == 2)
        for _ in 0..<100 {
            bench.say(request)
            bench.pass(.milliseconds(100))
        }
        #expect(bench.servers.count == 4)
    }

    @Test func `a server that ends each connection after five seconds is reported once`() {
        let bench = makeSUT()
        for _ in 0..<100 {
            bench.live(5, hearing: #"{"type":"heartbeat"}"#)
            bench.say(#"{"type":"error","message":"Disconnected"}"#)
            bench.server.state = .ended("the server closed the connection")
            bench.step()
        }
        #expect(
            bench.warnings == [
                "coinbase: an error: Disconnected",
                "feed.example: the server closed the connection; reconnecting",
            ])
        bench.live(121, hearing: #"{"type":"heartbeat"}"#)
        bench.server.state = .ended("the server closed the connection")
        bench.step()
        #expect(bench.warnings.count == 3)
    }

    @Test(arguments: [
        (
            PushSource.coinbase,
            #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["ETH-USD"]}]}"#
        ),
        (.coinbase, #"{"type":"subscriptions","channels":[]}"#),
        (
            .kraken,
            #"{"method":"unsubscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#
        ), (.bitstamp, #"{"event":"bts:unsubscription_succeeded","channel":"live_trades_btcusd","data":{}}"#),
    ]) func `a price ends with its subscription, which is asked for again`(source: PushSource, end: String) {
        let bench = Bench(source)
        _ = bench.ask()
        bench.accept(source)
        bench.price(of: source)
        #expect(bench.takeAnswers().count == 1)
        let requests = bench.server.received
        bench.say(end)
        bench.heartbeat(of: source)
        #expect(bench.ask() == nil)
        #expect(bench.warnings.count == 1 && bench.warnings[0].contains("ended the subscription"))
        for _ in 0..<5 {
            bench.pass(.seconds(1))
            bench.heartbeat(of: source)
        }
        #expect(bench.server.received.filter { $0.contains("subscribe") } == requests + requests)
        bench.price(of: source)
        #expect(bench.ask()?.quote?.price.text == "100.5")
    }

    @Test(arguments: [
        (PushSource.kraken, #"{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","last":101}}"#),
        (.kraken, #"{"channel":"ticker","type":"update","data":[{"pair":"BTC/USD","last":101}]}"#),
        (.kraken, #"{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","last":"101"}}"#),
        (.binance, #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","c":"101"}}"#),
        (
            .binance,
            #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker2","s":"BTCUSDT","c":"101"}}"#
        ),
        (.coinbase, #"{"type":"ticker","product":"BTC-USD","price":"101"}"#),
        (.bitstamp, #"{"event":"trade","channel":"live_trades_btcusd","price_str":"101"}"#),
    ]) func `a message whose form has changed ends the price that it would have renewed`(
        source: PushSource, message: String
    ) {
        let bench = Bench(source)
        _ = bench.ask()
        bench.accept(source)
        bench.price(of: source)
        #expect(bench.takeAnswers().count == 1)
        for _ in 0..<3 { bench.say(message) }
        bench.heartbeat(of: source)
        if message != #"{"channel":"ticker","type":"update","data":{"symbol":"BTC/USD","last":101}}"# {
            #expect(bench.ask() == nil)
            #expect(bench.warnings.count == 1 && bench.warnings[0].contains("cannot be read"))
        }
        bench.price(of: source)
        #expect(bench.ask()?.quote?.price.text == "100.5")
    }

    @Test(arguments: [
        (PushSource.binance, Duration.seconds(60)), (.bitstamp, .seconds(60)), (.coinbase, .seconds(600)),
        (.kraken, .seconds(600)),
    ]) func `a price that is old by its own time is not a quote`(source: PushSource, limit: Duration) {
        let bench = Bench(source)
        _ = bench.ask()
        bench.accept(source)
        bench.price(of: source, age: limit + .milliseconds(1))
        #expect(bench.takeAnswers().isEmpty)
        #expect(bench.warnings.count == 1 && bench.warnings[0].contains("s ago"))
        bench.price(of: source, age: limit)
        #expect(bench.takeAnswers().count == 1)
    }

    @Test func `while no market trades, no heartbeat proves a price`() {
        let bench = Bench(.kraken)
        _ = bench.ask()
        bench.price(of: .kraken)
        #expect(bench.takeAnswers().count == 1)
        bench.say(#"{"channel":"status","type":"update","data":[{"system":"maintenance"}]}"#)
        bench.heartbeat(of: .kraken)
        #expect(bench.ask() == nil)
        #expect(bench.warnings == ["kraken: no market trades: the exchange is in the state maintenance"])
        bench.price(of: .kraken)
        #expect(bench.ask()?.quote?.price.text == "100.5")
    }

    @Test func `no tick is answered while more of the feed is waiting to be read`() {
        let bench = makeSUT()
        bench.server.mayHoldMore = true
        #expect(bench.ask() == nil)
        bench.price("101", sequence: 2)
        #expect(bench.takeAnswers().isEmpty)
        bench.server.mayHoldMore = false
        bench.step()
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "101")
    }

    @Test(arguments: [3, 300]) func `what arrived while the program was suspended is not read`(seconds: Int) {
        let bench = makeSUT()
        bench.live(6, hearing: #"{"type":"heartbeat"}"#)
        bench.suspend(.seconds(seconds))
        bench.server.say(#"{"type":"ticker","sequence":2,"product_id":"BTC-USD","price":"99"}"#)
        #expect(bench.ask() == nil)
        #expect(bench.servers.count == 2)
        bench.price("103", sequence: 3)
        #expect(bench.takeAnswers().first?.reading.quote?.price.text == "103")
        #expect(bench.warnings.isEmpty)
    }

    @Test
    func `a market about which the feed is silent for a minute is polled once, and the answer is believed`()
        throws
    {
        let bench = Bench(.bitstamp)
        let heartbeat = #"{"event":"bts:heartbeat"}"#
        bench.live(59, asking: ["BTC-USD", "NO-USD"], hearing: heartbeat)
        #expect(bench.client.requests.isEmpty)
        bench.live(5, asking: ["BTC-USD", "NO-USD"], hearing: heartbeat)
        #expect(bench.client.requests.count == 2, "\(bench.client.requests) \(bench.warnings)")
        let failure = try #require(bench.ask("NO-USD")?.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("404"))
        // The one that exists is quiet, and the price of a poll is not one of the feed.
        #expect(bench.ask() == nil)
        #expect(bench.warnings.count == 1)
        bench.live(50, asking: ["BTC-USD", "NO-USD"], hearing: heartbeat)
        #expect(bench.client.requests.count == 2)
        // After the minute in which that is believed it is polled at once.
        bench.live(15, asking: ["NO-USD"], hearing: heartbeat)
        #expect(bench.client.requests.count(where: { $0.url.text.contains("nousd") }) == 2)
        #expect(bench.warnings.count == 1)
    }

    @Test func `a server that refuses the handshake with 429 is left alone as long as it says`() {
        let bench = Bench(connects: false)
        bench.step()
        _ = bench.ask()
        bench.server.refuse("HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\n\r\n")
        bench.step()
        let failure = bench.takeAnswers().first?.reading.failures.first
        #expect(failure?.kind == .rateLimited && failure?.retry == .seconds(20))
        bench.pass(.milliseconds(19_900))
        #expect(bench.servers.count == 1)
        bench.pass(.milliseconds(200))
        #expect(bench.servers.count == 2)
    }
}

extension PushFeedTests.Bench {
    /// Lets time pass in which the program does not run.
    func suspend(_ duration: Duration) { now += duration }

    /// Accepts the subscription of BTC-USD.
    func accept(_ source: PushSource) {
        let answers = [
            "binance": #"{"result":null,"id":1}"#,
            "coinbase": #"{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["BTC-USD"]}]}"#,
            "kraken":
                #"{"method":"subscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true}"#,
            "bitstamp": #"{"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}"#,
        ]
        say(answers[source.name]!)
    }

    /// A price of 100.5 for BTC-USD that was made some time ago.
    func price(of source: PushSource, age: Duration = .zero) {
        let time = time + now + (.zero - age)
        let text = time.text.dropLast() + "999Z"
        let tickers = [
            "binance":
                #"{"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":\#(time.milliseconds),"s":"BTCUSDT","c":"100.5"}}"#,
            "coinbase": #"{"type":"ticker","product_id":"BTC-USD","price":"100.5","time":"\#(text)"}"#,
            "kraken":
                #"{"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":100.5,"timestamp":"\#(text)"}]}"#,
            "bitstamp":
                #"{"event":"trade","channel":"live_trades_btcusd","data":{"price_str":"100.5","microtimestamp":"\#(time.milliseconds)999"}}"#,
        ]
        say(tickers[source.name]!)
    }

    func heartbeat(of source: PushSource) {
        let heartbeats = [
            "coinbase": #"{"type":"heartbeat","product_id":"BTC-USD"}"#,
            "kraken": #"{"channel":"heartbeat"}"#,
            "bitstamp": #"{"event":"bts:heartbeat","channel":"","data":{"status":"success"}}"#,
        ]
        if let heartbeat = heartbeats[source.name] { say(heartbeat) }
    }
}

extension ServerStub {
    /// Answers the handshake with another header.
    fileprivate func refuse(_ head: String) {
        answer = head
        state = .open
    }
}
