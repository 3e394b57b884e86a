import PipeCommon

/// Answers ticks with made-up prices, which a WebSocket echo server returns. To answer a tick, the feed sends the
/// symbol's next price to the server, and the echo becomes the quote. Anyone could operate the server, so only an exact
/// echo of our own message counts.
final class EchoFeed: PriceFeed {
    static let name = "echo"
    static let address: WebSocketAddress = "wss://ws.postman-echo.com/raw"
    static let silenceLimit = Duration.seconds(5)

    /// The maximum number of random walks that are kept.
    private static let mostWalks = 10_000

    private struct Sent {
        let question: Question
        let price: Price
        let message: String
    }

    var name: String { Self.name }
    var isMadeUp: Bool { true }
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

    func ask(_ question: Question) {
        let symbol = question.subject.symbol
        if walks.count == Self.mostWalks, walks[symbol] == nil { walks = [:] }
        let price = walks[symbol, default: RandomWalk(of: symbol, seed: seed)].next()
        let nonce = String(UInt64.random(in: 0 ... .max), radix: 36)
        let message = #"{"symbol":"\#(symbol.text)","price":\#(price.text),"id":"\#(nonce)"}"#
        waiting[question.id] = Sent(question: question, price: price, message: message)
        connection.send(message.utf8)
    }

    func giveUp(_ question: Question) -> FetchError {
        waiting[question.id] = nil
        return connection.problem
            ?? FetchError(.timeout, "no echo within \(question.timeout.milliseconds) ms")
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
                for id in waiting.keys.sorted() { connection.send(waiting[id]!.message.utf8) }
                return nil
            case .text(let bytes), .binary(let bytes): return answer(to: bytes, at: now)
            case .pong, .suspended: return nil
            }
        }
        return answers + answersWithoutConnection(at: now)
    }

    /// While the feed waits to reconnect after a problem, fails each tick that would time out before or at the next
    /// attempt to connect. The failure states the problem.
    private func answersWithoutConnection(at now: Deadline.Instant) -> [Answer] {
        let problem = connection.refusal(at: now) ?? connection.problem
        guard let problem, let next = connection.nextAttempt else { return [] }
        return waiting.filter { $0.value.question.deadline <= next }.keys.sorted().map { id in
            waiting[id] = nil
            return Answer(id: id, quote: .failure(problem))
        }
    }

    private func answer(to bytes: [UInt8], at now: Deadline.Instant) -> Answer? {
        guard let (id, sent) = waiting.first(where: { $0.value.message.utf8.elementsEqual(bytes) }) else {
            return nil
        }
        waiting[id] = nil
        let quote = Quote(
            price: sent.price, currency: sent.question.subject.symbol.currency, timestamp: self.now())
        return Answer(id: id, quote: .success(quote))
    }
}

/// Made-up prices, each of which differs from the previous price by at most 1%, or by at most a cent if 1% is less
/// than a cent. The same seed and the same symbol always produce the same prices. Pure.
struct RandomWalk {
    /// The latest price, in cents.
    private var price: Int
    private var generator: SplitMix64

    /// - Parameter seed: combined with the symbol, so that different symbols follow different walks.
    init(of symbol: Symbol, seed: UInt64) {
        // The FNV-1a hash of the symbol.
        let hash = symbol.text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        self.init(from: 2_000 + Int(hash % 40_000), seed: seed ^ hash)
    }

    /// - Parameter price: the initial price in cents, at least 1.
    init(from price: Int, seed: UInt64) {
        (self.price, generator) = (price, SplitMix64(state: seed))
    }

    mutating func next() -> Price {
        // A price under a dollar may move by a cent; otherwise it could never change.
        let most = max(price / 100, 1)
        price = max(1, price + Int.random(in: -most...most, using: &generator))
        let cents = price % 100
        return Price("\(price / 100).\(cents < 10 ? "0" : "")\(cents)")!
    }
}

/// A small pseudorandom number generator with a seed (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
