import PipeCommon
import TestSupport
import Testing

@testable import price_fetch

/// A feed with simulated servers and a clock that only the test advances.
final class FeedTimeline<Feed: PriceFeed> {
    let start = Deadline.Instant.now
    /// The wall-clock time at the start.
    let time = Timestamp.now()
    /// The time since the start.
    private(set) var now = Duration.zero
    private(set) var feed: Feed!
    /// The simulated servers, in the order in which the feed connected to them.
    private(set) var servers: [ServerStub] = []
    private(set) var reports: Reports!
    private(set) var warnings: [String] = []
    private var nextID = 0
    private var ticks: [Int: Tick] = [:]
    private var answers: [(id: Int, reading: Reading)] = []

    /// - Parameters:
    ///   - connects: whether each simulated server accepts its connection immediately.
    ///   - lifetime: the maximum age of a connection; nil for no limit.
    ///   - feed: creates the feed.
    init(
        connects: Bool = true, lifetime: Duration? = nil,
        _ feed: (FeedConnection, Reports, _ now: @escaping () -> Timestamp) -> Feed
    ) {
        let reports = Reports { [unowned self] in warnings.append($0) }
        self.reports = reports
        let connection = FeedConnection(
            "wss://feed.example", silenceLimit: .seconds(5), lifetime: lifetime,
            connect: { [unowned self] _ in
                let server = ServerStub()
                if connects { server.state = .open }
                servers.append(server)
                return server
            }, at: start, reports: reports)
        self.feed = feed(connection, reports) { [unowned self] in time + now }
    }

    var server: ServerStub { servers.last! }

    /// Lets time pass in steps and, like the poll loop, advances the feed after each step.
    func pass(_ duration: Duration, inStepsOf length: Duration = .milliseconds(100)) {
        let end = now + duration
        while now < end {
            now = min(end, now + length)
            step()
        }
    }

    /// Lets time pass without advancing the feed, as if the program were suspended.
    func suspend(_ duration: Duration) { now += duration }

    func step() {
        // Advance the feed repeatedly, because the server may answer a message immediately.
        for _ in 0..<3 {
            for answer in feed.advance([], at: start + now) {
                let reading = Reading(answering: ticks[answer.id]!, answer, of: feed)
                // Like the poll loop, pass each result to `reports`.
                switch answer.quote {
                case .success: reports.recordHealth(at: start + now)
                case .failure(let error):
                    reports.report(error, of: reading.subject, from: feed.name, at: start + now)
                }
                answers.append((answer.id, reading))
            }
        }
        // A deadline that stays in the past would keep a processor busy.
        let due = feed.nextDeadline?.hasPassed(at: start + now) ?? false
        #expect(!due || server.mayHoldMore)
    }

    func say(_ texts: String...) {
        for text in texts { server.say(text) }
        step()
    }

    /// Makes the server close the connection.
    func hangUp() {
        server.state = .ended("the server closed the connection")
        step()
    }

    /// Sends a tick and returns its reading, or nil if the tick is not answered immediately. Discards all other answers
    /// that have not been taken yet.
    @discardableResult func ask(_ symbol: String = "BTC-USD") -> Reading? {
        nextID += 1
        ticks[nextID] = Tick(number: nextID, symbol: Symbol(symbol)!)
        feed.ask(nextID, ticks[nextID]!, within: .milliseconds(800), at: start + now)
        step()
        return takeAnswers().first { $0.id == nextID }?.reading
    }

    /// Sends a tick and returns the price, or nil if the tick does not get a quote immediately.
    func price(_ symbol: String = "BTC-USD") -> String? { ask(symbol)?.quote?.price.text }

    /// Removes and returns all answers that neither this function nor `ask` has taken yet.
    func takeAnswers() -> [(id: Int, reading: Reading)] {
        defer { answers = [] }
        return answers
    }

    /// Takes all remaining answers and returns only their prices.
    func takePrices() -> [String] { takeAnswers().compactMap { $0.reading.quote?.price.text } }
}
