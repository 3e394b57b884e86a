import PipeCommon
import Synchronization

/// An exchange on loopback whose prices show which request they answer, and which misbehaves at random: in its bytes,
/// its connections and its timing.
///
/// What it does to a request depends on the seed and the number of the request alone.
public final class MisbehavingExchange: Sendable {
    /// What a price that was sent is of.
    public struct Sent: Sendable {
        public let symbol: Symbol
        public let manner: Manner
        /// When its request arrived; nil if no request has it for an answer.
        public let askedAt: Timestamp?
        /// Whether it was sent once more, unasked, when a request may have been on its way already. HTTP cannot tell
        /// that from the answer to the request.
        public fileprivate(set) var hasCrossedRequest = false

        public init(symbol: Symbol, manner: Manner, askedAt: Timestamp?) {
            (self.symbol, self.manner, self.askedAt) = (symbol, manner, askedAt)
        }
    }

    /// What a request on a connection means on which bytes were sent that no request had asked for.
    private enum Unasked {
        /// The client may not have known of them: it looked, they came, it sent. These prices may be taken for the
        /// answer.
        case crossing([Int])
        /// It must have known.
        case unread(Manner)
    }

    private struct State {
        var sent: [Int: Sent] = [:]
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
    private let manners: [Manner]
    private let timeout: Duration
    private let state = Mutex(State())
    private let server = Mutex<StubServer?>(nil)

    /// - Parameters:
    ///   - closed: the symbols whose markets do not trade. Only Binance has such.
    ///   - manners: how it behaves, each as often as the others.
    public init(
        _ payload: ExchangePayload, number: Int, of symbols: [Symbol], closed: [Symbol] = [],
        manners: [Manner], seed: UInt64, timeout: Duration, encryptedBy encryption: TLSContext? = nil
    ) {
        (self.payload, self.number, self.symbols, self.manners) = (payload, number, symbols, manners)
        self.closed = closed
        (self.seed, self.timeout) = (seed, timeout)
        let server = StubServer(encryptedBy: encryption) { [weak self] request in
            self?.answer(to: request) ?? .raw("")
        }
        self.server.withLock { $0 = server }
    }

    deinit { close() }

    public var port: UInt16 { server.withLock { $0?.port ?? 0 } }

    /// How many prices were asked for: several in one request, or one.
    public var askedPrices: Int { state.withLock { $0.askedPrices } }

    /// What a client has done that it must not do, in words.
    public var faults: [String] { state.withLock { $0.faults } }

    public func sent(_ price: TracedPrice) -> Sent? {
        price.exchange == number ? state.withLock { $0.sent[price.request] } : nil
    }

    public func close() { server.withLock { $0?.close() } }

    // MARK: Requests

    private func answer(to request: StubServer.Request) -> StubServer.Answer {
        let now = Timestamp.now()
        return state.withLock { state in
            state.requests += 1
            switch state.unasked.removeValue(forKey: request.connection) {
            case nil: break
            case .crossing(let prices):
                for price in prices { state.sent[price]?.hasCrossedRequest = true }
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
            let manner = manners.randomElement(using: &random)!
            let first = state.sent.count
            let askedAt = manner.answersInVain ? nil : now
            var (body, unasked) = ("", [String]())
            if asked.count == 1 {
                body = payload.body(symbol, price(of: symbol, manner, askedAt: askedAt, &state).text)
                unasked = unaskedBodies(symbol, body, manner, &random, &state)
            } else {
                let listing =
                    Bool.random(using: &random)
                    ? .good : Manner.Listing.allCases.randomElement(using: &random)!
                if listing == .unknown { return payload.unknown }
                body = list(open, listing, manner, askedAt: askedAt, &random, &state)
                let other = list(open, .good, manner, askedAt: nil, &random, &state)
                unasked = [body, other, payload.body([foreignTicker(to: asked, manner, &random, &state)])]
            }
            var composer = AnswerComposer(body: body, timeout: timeout, random: random)
            composer.unaskedBodies = unasked
            let prices = Array(first..<state.sent.count)
            composer.sendsUnasked = { [weak self] mayCross in
                let unasked = mayCross ? Unasked.crossing(prices) : .unread(manner)
                self?.state.withLock { $0.unasked[request.connection] = unasked }
            }
            return composer.answer(manner)
        }
    }

    /// The answer to a request for several symbols, in any order.
    private func list(
        _ asked: [Symbol], _ listing: Manner.Listing, _ manner: Manner, askedAt: Timestamp?,
        _ random: inout SeededRandom, _ state: inout State
    ) -> String {
        let place = Int.random(in: asked.indices, using: &random)
        let isLong = Bool.random(using: &random)
        var tickers = asked.enumerated().map { index, symbol in
            // Of two prices of a symbol neither can be believed.
            let isGood = index != place || listing == .good || listing == .foreign
            let price = price(of: symbol, manner, askedAt: isGood ? askedAt : nil, &state).text
            let isMalformed = index == place && listing == .malformed
            return payload.ticker(symbol, isMalformed ? price + "e0" : price, isLong: isLong)
        }
        switch listing {
        case .missing: tickers.remove(at: place)
        case .doubled:
            let second = price(of: asked[place], manner, askedAt: nil, &state).text
            tickers.append(payload.ticker(asked[place], second, isLong: !isLong))
        case .foreign: tickers.append(foreignTicker(to: asked, manner, &random, &state))
        case .good, .malformed, .unknown: break
        }
        return payload.body(tickers.shuffled(using: &random))
    }

    /// The price of a symbol that was not asked for.
    private func foreignTicker(
        to asked: [Symbol], _ manner: Manner, _ random: inout SeededRandom, _ state: inout State
    ) -> String {
        let other = symbols.filter { !(asked + closed).contains($0) }.randomElement(using: &random)
        let price = price(of: other ?? symbols[0], manner, askedAt: nil, &state).text
        return payload.ticker(other ?? Symbol("FOREIGN-USD")!, price)
    }

    /// Bodies of answers to no request: the same again, another price, and the price of another symbol, if the
    /// payload names its symbol.
    private func unaskedBodies(
        _ symbol: Symbol, _ body: String, _ manner: Manner, _ random: inout SeededRandom, _ state: inout State
    ) -> [String] {
        let others = payload.namesSymbol ? symbols.filter { $0 != symbol } : []
        let other = others.randomElement(using: &random) ?? symbol
        return [
            body, payload.body(symbol, price(of: symbol, manner, askedAt: nil, &state).text),
            payload.body(other, price(of: other, manner, askedAt: nil, &state).text),
        ]
    }

    private func price(
        of symbol: Symbol, _ manner: Manner, askedAt: Timestamp?, _ state: inout State
    ) -> TracedPrice {
        let place = symbols.firstIndex(of: symbol)!
        let price = TracedPrice(exchange: number, symbol: place, request: state.sent.count)
        state.sent[price.request] = Sent(symbol: symbol, manner: manner, askedAt: askedAt)
        return price
    }
}
