import PipeCommon
import TestSupport
import Testing

@testable import price_fetch

/// A feed with simulated servers and a clock that only the test advances.
final class FeedTimeline<Feed: PriceFeed> {
    let start = Deadline.Instant.now
    let time = Timestamp.now()
    private(set) var now = Duration.zero
    private(set) var feed: Feed!
    /// In the order of connection.
    private(set) var servers: [ServerStub] = []
    private(set) var warnings: [String] = []
    private var nextID = 0
    private var answers: [Answer] = []

    init(
        connects: Bool = true, lifetime: Duration? = nil,
        _ feed: (FeedConnection, _ now: @escaping () -> Timestamp) -> Feed
    ) {
        let connection = FeedConnection(
            "wss://feed.example", silenceLimit: .seconds(5), lifetime: lifetime,
            connect: { [unowned self] _ in
                let server = ServerStub()
                if connects { server.state = .open }
                servers.append(server)
                return server
            }, at: start, warn: { [unowned self] in warnings.append($0) })
        self.feed = feed(connection) { [unowned self] in time + now }
    }

    var server: ServerStub { servers.last! }

    /// Lets time pass in steps, as in the poll loop.
    func pass(_ duration: Duration, inStepsOf length: Duration = .milliseconds(100)) {
        let end = now + duration
        while now < end {
            now = min(end, now + length)
            step()
        }
    }

    /// Lets time pass while the program is suspended.
    func suspend(_ duration: Duration) { now += duration }

    func step() {
        // More than once, since the server may answer immediately what was sent.
        for _ in 0..<3 { answers += feed.advance([], at: start + now) }
        // A deadline that stays in the past would keep a processor busy.
        let due = feed.nextDeadline?.hasPassed(at: start + now) ?? false
        #expect(!due || server.mayHoldMore)
    }

    func say(_ texts: String...) {
        for text in texts { server.say(text) }
        step()
    }

    /// Ends the connection.
    func hangUp() {
        server.state = .ended("the server closed the connection")
        step()
    }

    /// Sends a tick, and returns the answer if it comes immediately.
    @discardableResult func ask(_ symbol: String = "BTC-USD") -> Reading? {
        nextID += 1
        feed.ask(
            nextID, Tick(number: nextID, symbol: Symbol(symbol)!), within: .milliseconds(800), at: start + now
        )
        step()
        return takeAnswers().first { $0.id == nextID }?.reading
    }

    /// The price in the immediate answer to a tick.
    func price(_ symbol: String = "BTC-USD") -> String? { ask(symbol)?.quote?.price.text }

    /// The answers since the last call.
    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    /// The prices in the answers since the last call.
    func takePrices() -> [String] { takeAnswers().compactMap { $0.reading.quote?.price.text } }
}
