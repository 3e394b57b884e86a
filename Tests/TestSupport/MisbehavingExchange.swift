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

    /// How the prices of several symbols are arranged in an answer.
    enum Listing: CaseIterable {
        case good, missing, doubled, foreign, malformed, unknown
    }

    /// The manners that a proxy passes on, although it has its own connections and parses the answers itself. They do
    /// not include answers that end with their connection: the proxy gives these a proper end.
    public static let behindProxy: [Manner] = [
        .plain, .slow, .split, .chunked, .trailer, .informational, .closed, .late, .cut, .lengthTooLong,
        .status, .redirect, .anotherSymbol, .dripping, .garbage, .limited, .nothing, .reset,
    ]
}

/// An exchange on loopback whose prices encode the request that they answer. It misbehaves at random: in its bytes, its
/// connections and its timing. The random tests and most soaks use it.
///
/// Its response to a request depends on the seed, the number of the request and the manner chosen for it.
public final class MisbehavingExchange: Sendable {
    /// The meaning of a request on a connection over which unsolicited bytes were sent.
    private enum Unasked {
        /// The client may not have seen the bytes: they may have arrived between its check and its request. It may take
        /// these prices for the answer.
        case crossing([Int], until: Timestamp?)
        /// The client must have seen the bytes, and it should have closed the connection.
        case unread(Manner)
    }

    private struct State {
        var sent: [Int: PriceOrigin] = [:]
        /// By connection.
        var unasked: [Int: Unasked] = [:]
        var requests = 0
        var askedPrices = 0
        var faults: [String] = []
    }

    /// Its place among the exchanges of a run, from 1 on.
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
    ///   - closed: the symbols whose markets do not trade. Only Binance has any.
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

    deinit { close() }

    public var port: UInt16 { server.withLock { $0?.port ?? 0 } }

    /// How many prices were requested; one request may be for several prices.
    public var askedPrices: Int { state.withLock { $0.askedPrices } }

    /// Descriptions of the clients' faults.
    public var faults: [String] { state.withLock { $0.faults } }

    public func origin(of price: TracedPrice) -> PriceOrigin? {
        price.exchange == number ? state.withLock { $0.sent[price.request] } : nil
    }

    public func close() { server.withLock { $0?.close() } }

    // MARK: Requests

    private func answer(to request: StubServer.Request) -> StubServer.Answer {
        let now = Timestamp.now()
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
            state.askedPrices += asked.count
            guard let symbol = asked.first, Set(asked).count == asked.count else {
                state.faults.append("exchange \(number): a request for \(request.path)")
                return .status(500)
            }
            let open = asked.filter { !closed.contains($0) }
            if open.isEmpty { return .status(400, ExchangePayload.closedMarket) }
            var random = SeededRandom(seed ^ UInt64(state.requests) << 8)
            let manner = manner(&random)
            let first = state.sent.count
            // Both clocks count whole milliseconds.
            let latest = manner.answersInVain ? nil : now + .milliseconds(1)
            var (body, unasked) = ("", [String]())
            if asked.count == 1 {
                body = payload.body(symbol, price(of: symbol, manner, latest: latest, &state).text)
                unasked = unaskedBodies(symbol, body, manner, &random, &state)
            } else {
                let listing =
                    Bool.random(using: &random)
                    ? .good : Manner.Listing.allCases.randomElement(using: &random)!
                if listing == .unknown { return payload.unknown }
                body = list(open, listing, manner, latest: latest, &random, &state)
                let other = list(open, .good, manner, latest: nil, &random, &state)
                unasked = [body, other, payload.body([foreignTicker(to: asked, manner, &random, &state)])]
            }
            var composer = AnswerComposer(body: body, timeout: timeout, random: random)
            composer.unaskedBodies = unasked
            let prices = Array(first..<state.sent.count)
            // A client that took unsolicited bytes for its answer has yet to receive the real answer, which may cross
            // its next request if that is already on its way.
            if isShifted {
                state.unasked[request.connection] = .crossing(prices, until: now + .milliseconds(100))
            }
            composer.sendsUnasked = { [weak self] mayCross in
                let unasked = mayCross ? Unasked.crossing(prices, until: nil) : .unread(manner)
                self?.state.withLock { $0.unasked[request.connection] = unasked }
            }
            return composer.answer(manner)
        }
    }

    /// The answer to a request for several symbols, in any order.
    private func list(
        _ asked: [Symbol], _ listing: Manner.Listing, _ manner: Manner, latest: Timestamp?,
        _ random: inout SeededRandom, _ state: inout State
    ) -> String {
        let place = Int.random(in: asked.indices, using: &random)
        let isLong = Bool.random(using: &random)
        var tickers = asked.enumerated().map { index, symbol in
            // Of two prices for one symbol, neither can be trusted.
            let isGood = index != place || listing == .good || listing == .foreign
            let price = price(of: symbol, manner, latest: isGood ? latest : nil, &state).text
            let isMalformed = index == place && listing == .malformed
            return payload.ticker(symbol, isMalformed ? price + "e0" : price, isLong: isLong)
        }
        switch listing {
        case .missing: tickers.remove(at: place)
        case .doubled:
            let second = price(of: asked[place], manner, latest: nil, &state).text
            tickers.append(payload.ticker(asked[place], second, isLong: !isLong))
        case .foreign: tickers.append(foreignTicker(to: asked, manner, &random, &state))
        case .good, .malformed, .unknown: break
        }
        return payload.body(tickers.shuffled(using: &random))
    }

    /// The price of a symbol that was not requested.
    private func foreignTicker(
        to asked: [Symbol], _ manner: Manner, _ random: inout SeededRandom, _ state: inout State
    ) -> String {
        let other = symbols.filter { !(asked + closed).contains($0) }.randomElement(using: &random)
        let price = price(of: other ?? symbols[0], manner, latest: nil, &state).text
        return payload.ticker(other ?? Symbol("FOREIGN-USD")!, price)
    }

    /// Bodies of unsolicited answers: the same body, a body with another price, and a body with the price of another
    /// symbol if the payload names its symbol.
    private func unaskedBodies(
        _ symbol: Symbol, _ body: String, _ manner: Manner, _ random: inout SeededRandom, _ state: inout State
    ) -> [String] {
        let others = payload.namesSymbol ? symbols.filter { $0 != symbol } : []
        let other = others.randomElement(using: &random) ?? symbol
        return [
            body, payload.body(symbol, price(of: symbol, manner, latest: nil, &state).text),
            payload.body(other, price(of: other, manner, latest: nil, &state).text),
        ]
    }

    private func price(
        of symbol: Symbol, _ manner: Manner, latest: Timestamp?, _ state: inout State
    ) -> TracedPrice {
        let place = symbols.firstIndex(of: symbol)!
        let price = TracedPrice(exchange: number, symbol: place, request: state.sent.count)
        state.sent[price.request] = PriceOrigin(
            source: payload.rawValue, symbol: symbol, latest: latest, manner: manner)
        return price
    }
}
