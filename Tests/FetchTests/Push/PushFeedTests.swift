import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// A push feed by the clock: a server without a network, and a time that only the test moves.
@Suite(.unit) struct PushFeedTests {
    /// A feed, its servers in the order in which they were connected to, and the time.
    private final class Bench {
        let start = Deadline.Instant.now
        let time = Timestamp.now()
        private(set) var now = Duration.zero
        private(set) var servers: [ServerStub] = []
        private(set) var warnings: [String] = []
        private var nextID = 0
        private(set) var feed: PushFeed!
        private let connects: Bool

        init(_ source: PushSource = .coinbase, connects: Bool = true, lifetime: Duration? = nil) {
            self.connects = connects
            let connection = FeedConnection(
                "wss://feed.example", silenceLimit: .seconds(5), lifetime: lifetime,
                connect: { [unowned self] _ in
                    let server = ServerStub()
                    if self.connects { server.state = .open }
                    servers.append(server)
                    return server
                }, at: start, warn: { [unowned self] in warnings.append($0) })
            feed = PushFeed(
                source, connection: connection, maxAge: .seconds(5), now: { [unowned self] in time + now },
                warn: { [unowned self] in warnings.append($0) })
        }

        var server: ServerStub { servers.last! }

        /// Lets the time pass, step by step, as the poll loop does.
        func pass(_ duration: Duration) {
            let end = now + duration
            while now < end {
                now = min(end, now + .milliseconds(100))
                step()
            }
        }

        func step() {
            // Twice: what was sent may be answered at once.
            for _ in 0..<3 { feed.advance([], at: start + now) }
        }

        func say(_ text: String) {
            server.say(text)
            step()
        }

        func price(_ price: String, _ market: String = "BTC-USD", sequence: Int = 1) {
            say(#"{"type":"ticker","sequence":\#(sequence),"product_id":"\#(market)","price":"\#(price)"}"#)
        }

        /// Asks with a tick, and gives the answer if there is one at once.
        func ask(_ symbol: String = "BTC-USD") -> Reading? {
            nextID += 1
            let tick = Tick(number: nextID, symbol: Symbol(symbol)!)
            feed.ask(nextID, tick, within: .milliseconds(800), at: start + now)
            step()
            return feed.takeAnswers().first { $0.id == nextID }?.reading
        }
    }

    /// A feed that is connected, subscribed to BTC-USD, and has a price.
    private func makeSUT() -> Bench {
        let bench = Bench()
        bench.step()
        _ = bench.ask()
        bench.say(#"{"type":"subscriptions","channels":[]}"#)
        bench.price("100.5")
        _ = bench.feed.takeAnswers()
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
        let reading = try #require(bench.feed.takeAnswers().first?.reading)
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

    @Test func `a silent feed is asked for a sign of life, and a pong is one`() {
        let bench = makeSUT()
        bench.pass(.milliseconds(2400))
        #expect(bench.server.pings == 0)
        bench.pass(.milliseconds(200))
        #expect(bench.server.pings == 1)
        bench.server.pong()
        bench.pass(.seconds(2))
        #expect(bench.ask()?.quote?.price.text == "100.5")
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
        #expect(bench.feed.takeAnswers().first?.reading.quote?.price.text == "101")
    }

    @Test func `a server that cannot be reached is tried after 1, 2, 4 … 30 seconds, and reported once`() {
        let bench = Bench(connects: false)
        var starts: [Int] = []
        for second in 0..<100 {
            let before = bench.servers.count
            bench.pass(.seconds(1))
            if bench.servers.count > before { starts.append(second) }
            bench.server.state = .ended("refused")
            bench.step()
        }
        #expect(starts.count == 8, "\(starts)")
        #expect(bench.warnings.count == 1)
    }

    @Test func `a refused symbol is unsupported, and the others go on`() throws {
        let bench = makeSUT()
        #expect(bench.ask("NO-USD") == nil)
        bench.say(
            #"{"type":"error","message":"Failed to subscribe","reason":"NO-USD is not a valid product"}"#)
        let failure = try #require(bench.feed.takeAnswers().first?.reading.failures.first)
        #expect(failure.kind == .unsupported && failure.message.contains("NO-USD is not a valid product"))
        #expect(failure.retry == .seconds(60))
        #expect(bench.ask("NO-USD")?.failures.first?.kind == .unsupported)
        #expect(bench.ask()?.quote?.price.text == "100.5")
        #expect(bench.warnings.count == 1)
    }

    @Test func `a symbol that is not a pair is unsupported`() {
        #expect(makeSUT().ask("btc")?.failures.first?.kind == .unsupported)
    }

    @Test func `prices of markets that nobody has asked for are ignored`() {
        let bench = makeSUT()
        bench.price("7", "ETH-USD")
        #expect(bench.ask("ETH-USD") == nil)
    }

    @Test func `an older message after a newer one is ignored, and reported once`() {
        let bench = makeSUT()
        bench.price("102", sequence: 5)
        bench.price("90", sequence: 4)
        bench.price("91", sequence: 4)
        #expect(bench.ask()?.quote?.price.text == "102")
        #expect(bench.warnings.count == 1)
    }

    @Test(arguments: ["{", "\u{1}", #"{"type":"ticker","product_id":"BTC-USD","price":"1e5"}"#])
    func `after a message that cannot be read, no old price is given`(message: String) {
        let bench = makeSUT()
        bench.say(message)
        #expect(bench.ask() == nil && bench.warnings.count == 1)
        bench.price("103", sequence: 9)
        #expect(bench.feed.takeAnswers().first?.reading.quote?.price.text == "103")
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
        for _ in 0..<61 {
            bench.pass(.seconds(1))
            bench.say(#"{"type":"heartbeat"}"#)
        }
        #expect(bench.server.received.last?.contains("unsubscribe") == true)
        #expect(bench.ask() == nil)
    }

    @Test func `a connection is renewed before the exchange ends it`() {
        let bench = Bench(lifetime: .seconds(100))
        for _ in 0..<101 {
            bench.pass(.seconds(1))
            bench.say(#"{"type":"heartbeat"}"#)
        }
        #expect(bench.servers.count == 2 && bench.warnings.isEmpty)
    }

    @Test func `a server that asks for a new connection gets it at once, the next ones with back-off`() {
        let bench = Bench(.bitstamp)
        let request = #"{"event":"bts:request_reconnect","channel":"","data":""}"#
        bench.step()
        bench.pass(.seconds(6))
        bench.say(request)
        #expect(bench.servers.count == 2)
        for _ in 0..<100 {
            bench.say(request)
            bench.pass(.milliseconds(100))
        }
        #expect(bench.servers.count == 4)
    }

    @Test func `a server that refuses the handshake with 429 is left alone as long as it says`() {
        let bench = Bench(connects: false)
        bench.step()
        _ = bench.ask()
        bench.server.refuse("HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\n\r\n")
        bench.step()
        let failure = bench.feed.takeAnswers().first?.reading.failures.first
        #expect(failure?.kind == .rateLimited && failure?.retry == .seconds(20))
        bench.pass(.milliseconds(19_900))
        #expect(bench.servers.count == 1)
        bench.pass(.milliseconds(200))
        #expect(bench.servers.count == 2)
    }
}

extension ServerStub {
    /// Answers the handshake with another header.
    fileprivate func refuse(_ head: String) {
        answer = Array(head.utf8)
        state = .open
    }
}
