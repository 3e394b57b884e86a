import PipeCommon
import Synchronization

/// How an exchange answers a request.
public enum Manner: CaseIterable, Sendable {
    // The answer is complete and in time.
    case plain, slow, split, chunked, trailer, informational, closed, keptInSpite, misnamed
    // The answer arrives after the timeout.
    case late
    // The answer is complete and followed by unsolicited bytes.
    case extraMerged, extraSplit, extraLater, noiseLater
    // The response does not answer the request or may be incomplete: its price must never be shown.
    case cut, lengthTooLong, lengthTooShort, twoLengths, noEnd, chunkedWrongly, status, redirect,
        anotherSymbol
    case dripping, garbage, limited, nothing, reset

    /// Whether the price of the answer must never be shown.
    var answersInVain: Bool {
        switch self {
        case .plain, .slow, .split, .chunked, .trailer, .informational, .closed, .keptInSpite, .misnamed,
            .late, .extraMerged, .extraSplit, .extraLater, .noiseLater:
            false
        default: true
        }
    }

    /// How the prices of several symbols are listed in an answer.
    enum Listing: CaseIterable {
        case good, missing, doubled, foreign, malformed, unknown
    }

    /// The manners for an exchange behind a proxy. The proxy has its own connections and parses answers itself, so some
    /// manners are excluded: for example `noEnd`, because the proxy marks the end of the answer properly.
    public static let behindProxy: [Manner] = [
        .plain, .slow, .split, .chunked, .trailer, .informational, .closed, .late, .cut, .lengthTooLong,
        .status, .redirect, .anotherSymbol, .dripping, .garbage, .limited, .nothing, .reset,
    ]
}

/// An exchange on loopback whose prices can be traced to the requests that they answer. It misbehaves at
/// random in the bytes that it sends, in its use of connections and in its timing. `scripts/soak` uses it,
/// except with `--processes`, `--messages` or `--rows`.
///
/// Its response to a request depends on the seed, the number of the request and the manner chosen for the request.
public final class MisbehavingExchange: Sendable {
    /// How to judge the next request on a connection over which unsolicited bytes were sent.
    private enum Unasked {
        /// The client might not have seen the bytes, because they might have arrived after the client checked the
        /// connection and before it sent the request. If so, the client may mistake the prices in these bytes for the
        /// answer.
        /// If a time is given, a request after that time is judged like any other request.
        case crossing([Int], until: Timestamp?)
        /// The client must have seen the bytes and should have closed the connection.
        case unread(Manner)
    }

    private struct State {
        var sent: [Int: PriceOrigin] = [:]
        /// How to judge the next request after unsolicited bytes. The keys are connection numbers.
        var unasked: [Int: Unasked] = [:]
        var requests = 0
        var faults: [String] = []
        /// The random numbers for the answer that is being composed.
        var random = SeededRandom(0)
        var manner = Manner.plain
    }

    /// The position of this exchange among the exchanges of a run, starting at 1.
    public let number: Int
    public let payload: ExchangePayload
    private let symbols: [Symbol]
    private let closed: [Symbol]
    private let seed: UInt64
    private let manner: @Sendable (inout SeededRandom) -> Manner
    private let timeout: Duration
    private let state = Mutex(State())
    private let server = Mutex<StubServer?>(nil)

    /// - Parameters:
    ///   - closed: the symbols whose markets do not trade; only Binance reports closed markets.
    ///   - host: the exchange's address on this machine.
    ///   - manner: chooses how the exchange answers the next request.
    public init(
        _ payload: ExchangePayload, number: Int, of symbols: [Symbol], closed: [Symbol] = [], seed: UInt64,
        timeout: Duration, at host: String = "127.0.0.1", encryptedBy encryption: TLSContext? = nil,
        manner: @escaping @Sendable (inout SeededRandom) -> Manner
    ) {
        (self.payload, self.number, self.symbols, self.manner) = (payload, number, symbols, manner)
        (self.closed, self.seed, self.timeout) = (closed, seed, timeout)
        let server = StubServer(at: host, encryptedBy: encryption) { [weak self] request in
            self?.answer(to: request) ?? .raw("")
        }
        self.server.withLock { $0 = server }
    }

    public var port: UInt16 { server.withLock { $0?.port ?? 0 } }

    /// Descriptions of the clients' faults.
    public var faults: [String] { state.withLock { $0.faults } }

    public func origin(of price: TracedPrice) -> PriceOrigin? {
        price.exchange == number ? state.withLock { $0.sent[price.request] } : nil
    }

    // MARK: Requests

    private func answer(to request: StubServer.Request) -> StubServer.Answer {
        let now = Timestamp.now()
        // A WebSocket client of another test may try this port, because that client's server used the port before.
        if request.headers["upgrade"] != nil { return .status(404) }
        return state.withLock { state in
            state.requests += 1
            var isShifted = false
            switch state.unasked.removeValue(forKey: request.connection) {
            case nil: break
            case .crossing(let prices, let end) where now <= end ?? now:
                for price in prices { state.sent[price]?.hasCrossedRequest = true }
                isShifted = true
            case .crossing: break
            case .unread(let manner):
                state.faults.append(
                    "exchange \(number): a request on a connection with unread bytes (\(manner))")
            }
            let asked = payload.asked(in: request.path, among: symbols)
            guard let symbol = asked.first, Set(asked).count == asked.count else {
                state.faults.append("exchange \(number): a request for \(request.path)")
                return .status(500)
            }
            let open = asked.filter { !closed.contains($0) }
            if open.isEmpty { return .status(400, ExchangePayload.closedMarket) }
            state.random = SeededRandom(seed ^ UInt64(state.requests) << 8)
            let manner = manner(&state.random)
            state.manner = manner
            let first = state.sent.count
            // A margin of one millisecond is added, because `now` and the tick's time are rounded to milliseconds.
            let latest = manner.answersInVain ? nil : now + .milliseconds(1)
            var (body, unasked) = ("", [String]())
            if asked.count == 1 {
                body = payload.body(symbol, price(of: symbol, latest: latest, &state))
                unasked = unaskedBodies(symbol, body, &state)
            } else {
                let isGood = Bool.random(using: &state.random)
                let listing = isGood ? .good : Manner.Listing.allCases.randomElement(using: &state.random)!
                if listing == .unknown { return payload.unknown }
                body = list(open, listing, latest: latest, &state)
                let other = list(open, .good, latest: nil, &state)
                unasked = [body, other, payload.body([foreignTicker(to: asked, &state)])]
            }
            var composer = AnswerComposer(body: body, timeout: timeout, random: state.random)
            composer.unaskedBodies = unasked
            let prices = Array(first..<state.sent.count)
            // A client that accepts the unsolicited bytes may send its next request before this response arrives.
            // The client would then mistake this response for the answer to that next request.
            if isShifted {
                state.unasked[request.connection] = .crossing(prices, until: now + .milliseconds(100))
            }
            composer.sendsUnasked = { [weak self] mayCross in
                let unasked = mayCross ? Unasked.crossing(prices, until: nil) : .unread(manner)
                self?.state.withLock { $0.unasked[request.connection] = unasked }
            }
            return StubServer.Answer(steps: composer.steps(manner))
        }
    }

    /// The body of an answer that lists the prices of several symbols in random order.
    private func list(
        _ asked: [Symbol], _ listing: Manner.Listing, latest: Timestamp?, _ state: inout State
    ) -> String {
        let place = Int.random(in: asked.indices, using: &state.random)
        let isLong = Bool.random(using: &state.random)
        var tickers = asked.enumerated().map { index, symbol in
            // Of two prices for one symbol, neither can be trusted.
            let isGood = index != place || listing == .good || listing == .foreign
            let price = price(of: symbol, latest: isGood ? latest : nil, &state)
            let isMalformed = index == place && listing == .malformed
            return payload.ticker(symbol, isMalformed ? price + "e0" : price, isLong: isLong)
        }
        switch listing {
        case .missing: tickers.remove(at: place)
        case .doubled:
            let second = price(of: asked[place], latest: nil, &state)
            tickers.append(payload.ticker(asked[place], second, isLong: !isLong))
        case .foreign: tickers.append(foreignTicker(to: asked, &state))
        case .good, .malformed, .unknown: break
        }
        return payload.body(tickers.shuffled(using: &state.random))
    }

    /// The ticker of a symbol that was not requested.
    private func foreignTicker(to asked: [Symbol], _ state: inout State) -> String {
        let other = symbols.filter { !(asked + closed).contains($0) }.randomElement(using: &state.random)
        let price = price(of: other ?? symbols[0], latest: nil, &state)
        return payload.ticker(other ?? Symbol("FOREIGN-USD")!, price)
    }

    /// Bodies for unsolicited answers: the body of the answer itself, a body with another price, and a body
    /// with a price of another symbol. If only one symbol is used, or if the exchange's answers do not name
    /// their symbols, the last body contains a price of the same symbol instead.
    private func unaskedBodies(_ symbol: Symbol, _ body: String, _ state: inout State) -> [String] {
        let others = payload.namesSymbol ? symbols.filter { $0 != symbol } : []
        let other = others.randomElement(using: &state.random) ?? symbol
        return [body] + [symbol, other].map { payload.body($0, price(of: $0, latest: nil, &state)) }
    }

    private func price(of symbol: Symbol, latest: Timestamp?, _ state: inout State) -> String {
        let place = symbols.firstIndex(of: symbol)!
        let price = TracedPrice(exchange: number, symbol: place, request: state.sent.count)
        state.sent[price.request] = PriceOrigin(
            source: payload.rawValue, symbol: symbol, latest: latest, manner: state.manner)
        return price.text
    }
}
