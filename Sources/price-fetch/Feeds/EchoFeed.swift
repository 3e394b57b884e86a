import PipeCommon

/// Made-up prices that travel to a WebSocket echo server and back: for each tick the feed sends the symbol's
/// next price, and the echo becomes the quote. Anyone may run the server, so only an exact echo of our own
/// message counts.
final class EchoFeed: PriceFeed {
    static let name = "echo"
    static let address: WebSocketAddress = "wss://ws.postman-echo.com/raw"
    static let silenceLimit = Duration.seconds(5)

    private struct Sent {
        let tick: Tick
        let price: Price
        let message: String
        let deadline: Deadline
    }

    private let connection: FeedConnection
    private let seed: UInt64
    private let now: () -> Timestamp
    private var walks: [Symbol: RandomWalk] = [:]
    private var waiting: [Int: Sent] = [:]

    init(connection: FeedConnection, seed: UInt64, now: @escaping () -> Timestamp = Timestamp.now) {
        self.connection = connection
        self.seed = seed
        self.now = now
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        let symbol = tick.pricedSymbol
        let price = walks[symbol, default: RandomWalk(of: symbol, seed: seed)].next()
        let nonce = String(UInt64.random(in: 0 ... .max), radix: 36)
        let message = #"{"symbol":"\#(symbol.text)","price":\#(price.text),"id":"\#(nonce)"}"#
        waiting[id] = Sent(
            tick: tick, price: price, message: message, deadline: Deadline(in: timeout, from: now))
        connection.send(message.utf8)
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        waiting[id] = nil
        let late = FetchError(.timeout, "no echo within \(timeout.milliseconds) ms")
        return Reading(answering: tick, [(connection.problem ?? late).failure(of: Self.name)])
    }

    func end() {
        connection.close()
    }

    var watched: [pollfd] { connection.watched }

    var nextDeadline: Deadline? { connection.nextDeadline }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        let answers: [Answer] = connection.advance(ready, at: now).compactMap { event in
            switch event {
            case .opened:
                for (_, sent) in waiting.sorted(by: { $0.key < $1.key }) {
                    connection.send(sent.message.utf8)
                }
                return nil
            case .text(let bytes), .binary(let bytes): return answer(to: bytes, at: now)
            case .pong, .suspended: return nil
            }
        }
        return answers + answersWithoutConnection()
    }

    /// Fails the ticks whose deadline comes before the next attempt to connect, giving the reason of the last
    /// failed attempt.
    private func answersWithoutConnection() -> [Answer] {
        guard let problem = connection.problem, let next = connection.nextAttempt else { return [] }
        return waiting.filter { $0.value.deadline <= next }.sorted { $0.key < $1.key }.map { id, sent in
            waiting[id] = nil
            return (id, Reading(answering: sent.tick, [problem.failure(of: Self.name)]))
        }
    }

    private func answer(to bytes: [UInt8], at now: Deadline.Instant) -> Answer? {
        guard let (id, sent) = waiting.first(where: { $0.value.message.utf8.elementsEqual(bytes) }) else {
            return nil
        }
        waiting[id] = nil
        connection.recordHealth(at: now)
        let quote = Quote(
            price: sent.price, currency: sent.tick.pricedSymbol.currency, timestamp: self.now())
        return (id, Reading(answering: sent.tick, quote, from: Self.name))
    }
}
