import PipeCommon
import Synchronization
import TestSupport

/// Three sources in one server, each of which behaves as the schedule has it; remembers each price that it gave.
final class FaultyServer: Sendable {
    struct Given {
        let source: String
        let symbol: Symbol
        let at: Timestamp
    }

    private struct State {
        var random: SeededRandom
        var tick = 0
        var halfHeaders: Set<Int> = []
        var given: [String: Given] = [:]
    }

    private static let payloads = [ExchangePayload.binance, .kraken, .coinbase]
    static let sources = payloads.map(\.rawValue)
    /// A price that stands only in answers that must be refused.
    static let poison = "666666.66"

    private let schedule: Schedule
    private let timeout: Duration
    let symbols: [Symbol]
    private let state: Mutex<State>

    /// - Parameter count: how many symbols it prices.
    init(_ schedule: Schedule, seed: UInt64, timeout: Duration, symbols count: Int = 1) {
        symbols = (0..<count).map { $0 == 0 ? .bitcoin : Symbol("C\($0)-USD")! }
        self.schedule = schedule
        self.timeout = timeout
        state = Mutex(State(random: SeededRandom(seed ^ 0x50AC)))
    }

    /// Where in the schedule we are.
    func reach(_ tick: Int) {
        state.withLock { $0.tick = tick }
    }

    func given(_ price: String) -> Given? {
        state.withLock { $0.given[price] }
    }

    func answer(_ path: String) -> StubServer.Answer {
        guard let source = Self.sources.firstIndex(where: { path.hasPrefix("/\($0)") }) else {
            return .status(404)
        }
        let rest = String(path.dropFirst(Self.sources[source].count + 1))
        // A fixed address is of the first symbol.
        let asked = rest == "" ? [symbols[0]] : Self.payloads[source].asked(in: rest, among: symbols)
        return asked.isEmpty ? .status(500) : state.withLock { answer(source, asked, &$0) }
    }

    private func answer(_ source: Int, _ asked: [Symbol], _ state: inout State) -> StubServer.Answer {
        let part = Double.random(in: 0...1, using: &state.random)
        let weather = schedule.weather(of: source, at: state.tick)
        if weather != .halfHeader { state.halfHeaders.remove(source) }
        switch weather {
        case .good: return good(source, asked, &state)
        case .unasked: return good(source, asked, &state, isFollowed: true)
        case .trailer: return .send(chunked(body(source, newPrices(source, asked, &state))))
        case .slow: return good(source, asked, &state).after(timeout * (part * 0.7))
        case .tooSlow: return good(source, asked, &state).after(timeout * (1.2 + part))
        case .silent: return StubServer.Answer.raw("").after(timeout * 5)
        case .dripping: return .drip(body(source, Self.poisoned(asked)), every: timeout / 8)
        case .garbage: return garbage(source, asked, &state)
        case .status: return .status([204, 301, 404, 500, 503, 999].randomElement(using: &state.random)!)
        case .limited: return .status(429, headers: ["Retry-After: 1"])
        case .reset: return .reset()
        case .halfHeader:
            let isFirst = state.halfHeaders.insert(source).inserted
            return isFirst ? .raw("HTTP/1.1 200 OK\r\nContent-Le") : good(source, asked, &state)
        }
    }

    /// - Parameter isFollowed: whether bytes come after it that no request has asked for. A price comes at once, since
    ///   a later one may cross the next request, and HTTP cannot tell it from the answer.
    private func good(
        _ source: Int, _ asked: [Symbol], _ state: inout State, isFollowed: Bool = false
    ) -> StubServer.Answer {
        var prices = newPrices(source, asked, &state)
        // One of several symbols may be a problem: unknown, missing, or there twice.
        let problem = asked.count > 1 ? Int.random(in: 0..<20, using: &state.random) : .max
        if problem == 0 { return Self.payloads[source].unknown }
        if problem == 1 { prices.removeLast() }
        if problem == 2 { prices += Self.poisoned([asked[0]]) + Self.poisoned([asked[0]]) }
        let answer = StubServer.Answer.ok(body(source, prices))
        guard isFollowed else { return answer }
        let poison = body(source, Self.poisoned(asked))
        let kinds = [
            answer.followed(by: "HTTP/1.1 200 OK\r\nContent-Length: \(poison.utf8.count)\r\n\r\n\(poison)"),
            answer.followed(by: "\r\n"),
            answer.thenIfIdle(
                "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", after: timeout / 20),
            answer.thenIfIdle("junk", after: timeout / 20),
        ]
        return kinds.randomElement(using: &state.random)!
    }

    private func chunked(_ body: String) -> String {
        let (start, rest) = (body.prefix(9), body.dropFirst(9))
        let chunks = [start, rest].map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }.joined()
        return
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\nX-Price: \(Self.poison)\r\n\r\n"
    }

    /// In any order.
    private func newPrices(
        _ source: Int, _ asked: [Symbol], _ state: inout State
    ) -> [(symbol: Symbol, price: String)] {
        asked.shuffled(using: &state.random).map { symbol in
            let number = state.given.count
            let price = "\(60_000 + number / 100).\(number % 100 / 10)\(number % 10)"
            state.given[price] = Given(source: Self.sources[source], symbol: symbol, at: .now())
            return (symbol, price)
        }
    }

    private static func poisoned(_ asked: [Symbol]) -> [(symbol: Symbol, price: String)] {
        asked.map { ($0, poison) }
    }

    private func garbage(_ source: Int, _ asked: [Symbol], _ state: inout State) -> StubServer.Answer {
        let body = body(source, Self.poisoned(asked))
        let bodies = [
            "", "<html>\u{1B}[31m503</html>", String(body.dropLast()), body + "x", "\u{FEFF}" + body,
            body.replacing(Self.poison, with: "-1"), body.replacing(Self.poison, with: "1,234.5"),
            Self.payloads[source].namesSymbol ? body.replacing("USD", with: "EUR") : "",
            #"{"error":["E\u001b]0;x\u0007:\u202ehostile"],"result":{}}"#,
            String(repeating: "[", count: 600),
        ]
        return .ok(bodies.randomElement(using: &state.random)!)
    }

    private func body(_ source: Int, _ prices: [(symbol: Symbol, price: String)]) -> String {
        let payload = Self.payloads[source]
        if prices.count == 1 { return payload.body(prices[0].symbol, prices[0].price) }
        return payload.body(prices.map { payload.ticker($0.symbol, $0.price, isLong: true) })
    }
}
