import PipeCommon

/// Answers each tick with the latest price of an exchange's push feed. One connection serves all symbols; a symbol is
/// subscribed when a tick asks for it.
final class PushFeed: PriceFeed {
    private let source: PushSource
    private let connection: FeedConnection
    private let now: () -> Timestamp
    private let warn: (String) -> Void
    private var subscriptions: Subscriptions
    private var prices: PushedPrices
    private var waiting: [(id: Int, tick: Tick, pair: TradingPair)] = []
    private var reported: Set<String> = []
    private var answers: [Answer] = []

    init(
        _ source: PushSource, connection: FeedConnection, maxAge: Duration,
        now: @escaping () -> Timestamp = Timestamp.now, warn: @escaping (String) -> Void
    ) {
        self.source = source
        self.connection = connection
        self.now = now
        self.warn = warn
        subscriptions = Subscriptions(largestBatch: source.largestBatch)
        prices = PushedPrices(maxAge: maxAge)
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        do throws(InvalidInput) {
            let pair = try TradingPair(tick.pricedSymbol)
            waiting.append((id, tick, pair))
            if let refusal = subscriptions.ask(source.market(pair), at: now) {
                fail(source.market(pair), FetchError(.unsupported, refusal.reason, retry: refusal.remaining))
            }
            answerWaiting(at: now)
        } catch {
            let failure = FetchError(unsupported: error).failure(of: source.name)
            answers.append((id, Reading(answering: tick, [failure])))
        }
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        waiting.removeAll { $0.id == id }
        let reason = connection.problem?.message ?? "no price in the feed within \(timeout.milliseconds) ms"
        return Reading(answering: tick, [Failure(source: source.name, kind: .timeout, message: reason)])
    }

    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    func end() {
        connection.close()
    }

    // MARK: The poll loop

    var watched: [pollfd] { connection.watched }

    var nextDeadline: Deadline? {
        [connection.nextDeadline, subscriptions.nextDeadline].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
        connection.advance(ready, at: now)
        for event in connection.takeEvents() { receive(event, at: now) }
        if let refusal = connection.problem, refusal.retry != nil {
            for market in Set(waiting.map { source.market($0.pair) }) { fail(market, refusal) }
        }
        if connection.problem == nil {
            while let request = subscriptions.next(at: now) { send(request) }
        }
        answerWaiting(at: now)
    }

    private func send(_ request: Subscriptions.Request) {
        switch request {
        case .subscribe(let markets): connection.send(source.subscribe(markets))
        case .unsubscribe(let markets):
            for market in markets { prices.forget(market) }
            for batch in source.largestBatch == 1 ? markets.map({ [$0] }) : [markets] {
                connection.send(source.unsubscribe(batch))
            }
        }
    }

    private func receive(_ event: FeedConnection.Event, at now: Deadline.Instant) {
        switch event {
        case .opened:
            subscriptions.reconnect()
            prices.reconnect()
            reported = []
        case .alive: prices.proveLife(at: now, self.now())
        case .message(let bytes):
            prices.proveLife(at: now, self.now())
            do throws(InvalidInput) {
                receive(source.message(try JSON(parsing: bytes)), at: now)
            } catch {
                prices.forgetAll()
                report("a message that cannot be read", error.reason)
            }
        }
    }

    private func receive(_ message: PushSource.Message, at now: Deadline.Instant) {
        switch message {
        case .price(let price, let market, let sequence):
            guard subscriptions.contains(market) else { return }
            if !prices.receive(price, of: market, sequence: sequence) {
                report("an older message after a newer one", market)
            }
        case .several(let messages):
            for message in messages { receive(message, at: now) }
        case .unreadable(let market, let reason):
            guard subscriptions.contains(market) else { return }
            prices.forget(market)
            report("a message that cannot be read", "\(market): \(reason)")
        case .accepted: subscriptions.accept()
        case .refused(let reason):
            guard let market = subscriptions.refuse(reason, at: now) else {
                return report("an error", reason)
            }
            report(market, reason)
            fail(market, FetchError(unsupported: InvalidInput(reason)))
        case .reconnect: connection.renew(at: now)
        case .other: break
        }
    }

    /// Reports the first problem of each kind on a connection.
    private func report(_ kind: String, _ detail: String) {
        if reported.insert(kind).inserted { warn("\(source.name): \(kind): \(detail)") }
    }

    // MARK: Answers

    private func answerWaiting(at now: Deadline.Instant) {
        waiting.removeAll { id, tick, pair in
            let market = source.market(pair)
            guard let (price, timestamp) = prices.price(of: market, at: now) else { return false }
            let quote = Quote(
                price: price, currency: pair.currency, timestamp: timestamp, market: InlineText(market))
            answers.append((id, Reading(answering: tick, quote, from: source.name)))
            return true
        }
    }

    private func fail(_ market: String, _ error: FetchError) {
        waiting.removeAll { id, tick, pair in
            guard source.market(pair) == market else { return false }
            answers.append((id, Reading(answering: tick, [error.failure(of: source.name)])))
            return true
        }
    }
}
