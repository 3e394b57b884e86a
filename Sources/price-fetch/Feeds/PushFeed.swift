import PipeCommon

/// Answers each tick with the latest price from an exchange's push feed. One connection serves all symbols. A
/// symbol is subscribed when a tick requests it, and there is no connection while no symbol is in use.
final class PushFeed: PriceFeed {
    /// Larger messages are not parsed: as a tree, a message takes up to fifty times its size.
    private static let largestMessage = 256 * 1024

    let source: PriceSource
    private let push: PushSource
    private let connection: FeedConnection
    private let silentMarkets: SilentMarkets?
    private let now: () -> Timestamp
    private var subscriptions: Subscriptions
    private var prices: PushedPrices
    /// The time without a price or heartbeat from the feed.
    private var silence: Silence
    /// When a heartbeat has to be requested even if the feed is not silent.
    private var nextHeartbeat: Deadline?
    private var waiting: [(id: Int, tick: Tick, market: String)] = []
    private var answers: [Answer] = []

    /// - Parameter silentMarkets: polls the markets that the feed does not mention.
    init(
        _ source: PriceSource, _ push: PushSource, connection: FeedConnection, maxAge: Duration,
        silentMarkets: SilentMarkets? = nil, now: @escaping () -> Timestamp = Timestamp.now
    ) {
        (self.source, self.push) = (source, push)
        self.connection = connection
        self.silentMarkets = silentMarkets
        self.now = now
        subscriptions = Subscriptions(largestBatch: push.largestBatch)
        prices = PushedPrices(maxAge: maxAge)
        // The limit must not end between two heartbeats, which come once per second.
        silence = Silence(limit: maxAge, shortest: .seconds(3), at: .now)
    }

    /// The answer comes from `advance`, once everything that the feed has sent so far was read.
    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        do throws(InvalidInput) {
            let pair = try source.pair(tick.pricedSymbol)
            let market = (push.market ?? source.market)?(pair) ?? pair.symbol.text
            waiting.append((id, tick, market))
            subscriptions.ask(market, at: now)
            if subscriptions.contains(market) { silentMarkets?.ask(market, tick.pricedSymbol, at: now) }
        } catch {
            answers.append((id, reading(of: tick, FetchError(unsupported: error))))
        }
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        waiting.removeAll { $0.id == id }
        let reason = connection.problem?.message ?? "no price in the feed within \(timeout.milliseconds) ms"
        return Reading(answering: tick, [Failure(source: source.name, kind: .timeout, message: reason)])
    }

    func end() {
        connection.close()
    }

    // MARK: The poll loop

    var watched: [pollfd] { connection.watched + (silentMarkets?.watched ?? []) }

    var nextDeadline: Deadline? {
        [
            connection.nextDeadline, subscriptions.nextDeadline, silentMarkets?.nextDeadline,
            connection.isOpen ? silence.deadline : nil,
        ].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        for market in subscriptions.expire(at: now) {
            prices.forget(market)
            silentMarkets?.forget(market)
        }
        connection.isWanted = !subscriptions.isEmpty
        let polled = Set(silentMarkets?.watched.map(\.fd) ?? [])
        let events = connection.advance(ready.filter { !polled.contains($0.fd) }, at: now)
        // The remaining messages of a connection that must be renewed are dropped.
        if !events.allSatisfy({ receive($0, at: now) }) { connection.renew(at: now) }
        if connection.isOpen { listen(at: now) }
        checkSilentMarkets(ready.filter { polled.contains($0.fd) }, at: now)
        waiting.removeAll { id, tick, market in
            guard let reading = reading(of: tick, market, at: now) else { return false }
            answers.append((id, reading))
            return true
        }
        defer { answers = [] }
        return answers
    }

    /// Sends the requests that are due, and reconnects if the feed is silent for too long.
    private func listen(at now: Deadline.Instant) {
        while let (verb, markets) = subscriptions.next(at: now) {
            connection.send(push.request(verb, markets).utf8)
        }
        let isDue = nextHeartbeat?.hasPassed(at: now) == true
        if silence.wantsSign(at: now) || isDue, let heartbeat = push.heartbeat {
            connection.send(heartbeat.request.utf8)
            nextHeartbeat = heartbeat.interval.map { Deadline(in: $0, from: now) }
        }
        if silence.isTooLong(at: now) {
            report("silence", "the feed is silent; reconnecting", at: now)
            connection.renew(at: now)
        }
    }

    private func checkSilentMarkets(_ ready: [pollfd], at now: Deadline.Instant) {
        let isAlive = connection.isOpen && prices.isAlive(at: now)
        guard let (market, failure) = silentMarkets?.advance(ready, isAlive: isAlive, at: now) else { return }
        subscriptions.leaveOut(market, because: failure.message, at: now)
        prices.forget(market)
        report(market, "\(market): \(failure.message)", at: now)
    }

    // MARK: Messages

    /// - Returns: whether the connection may be kept.
    private func receive(_ event: WebSocketEvent, at now: Deadline.Instant) -> Bool {
        switch event {
        case .opened:
            subscriptions.reconnect()
            prices.reconnect()
            silence.begin(at: now)
            nextHeartbeat = push.heartbeat?.interval.map { Deadline(in: $0, from: now) }
        case .suspended: prices.forgetAll()
        case .pong: break
        case .text(let bytes), .binary(let bytes):
            do throws(InvalidInput) {
                guard bytes.count <= Self.largestMessage else {
                    throw InvalidInput("larger than \(Self.largestMessage / 1024) KiB")
                }
                if let answer = push.heartbeat?.answer, bytes.elementsEqual(answer.utf8) {
                    return receive(.heartbeat, at: now)
                }
                return receive(push.message(try JSON(parsing: bytes)), at: now)
            } catch {
                return receive(.unreadable(market: nil, reason: error.reason), at: now)
            }
        }
        return true
    }

    /// - Returns: whether the connection may be kept.
    private func receive(_ message: PushSource.Message, at now: Deadline.Instant) -> Bool {
        switch message {
        case .price(let price, let market, let sequence, let time):
            guard subscriptions.contains(market) else { break }
            do throws(InvalidInput) {
                try PriceAge.check(time, limit: push.oldestPrice, at: self.now())
            } catch {
                return receive(.unreadable(market: market, reason: error.reason), at: now)
            }
            guard prices.receive(price, of: market, sequence: sequence) else {
                report("order", "an older message after a newer one: \(market); reconnecting", at: now)
                return false
            }
            silentMarkets?.hear(market, at: now)
            proveLife(at: now)
        case .heartbeat: proveLife(at: now)
        case .several(let messages): return messages.allSatisfy { receive($0, at: now) }
        case .unreadable(let market?, let reason):
            guard subscriptions.contains(market) else { break }
            prices.forget(market)
            report("unreadable", "a message that cannot be read: \(market): \(reason)", at: now)
        case .unreadable(nil, let reason):
            // It may have been a newer price of any market.
            prices.forgetAll()
            report("unreadable", "a message that cannot be read: \(reason)", at: now)
        case .halted(let reason):
            prices.forgetAll()
            report("halt", "no market trades: \(reason)", at: now)
        case .accepted: subscriptions.accept()
        case .subscribed(let markets):
            let isAnswer = subscriptions.isWaiting
            subscriptions.accept()
            // An empty list that answers a request does not mean that all subscriptions have ended.
            if isAnswer, markets.isEmpty { break }
            for market in prices.markets where !markets.contains(market) { end(market, at: now) }
        case .ended(let market): end(market, at: now)
        case .refused(let reason):
            let subject = subscriptions.refuse(reason, at: now) ?? "an error"
            report(subject, "\(subject): \(reason)", at: now)
        case .reconnect: return false
        case .other: break
        }
        return true
    }

    private func proveLife(at now: Deadline.Instant) {
        prices.proveLife(at: now, self.now())
        silence.hear(at: now)
        connection.recordHealth(at: now)
    }

    private func end(_ market: String, at now: Deadline.Instant) {
        guard subscriptions.end(market, at: now) else { return }
        prices.forget(market)
        report("end", "the exchange has ended the subscription of \(market)", at: now)
    }

    /// Reports a problem when it begins, once for each kind.
    private func report(_ kind: String, _ text: String, at now: Deadline.Instant) {
        connection.report(kind, "\(source.name): \(text)", at: now)
    }

    // MARK: Answers

    /// - Returns: nil while there is neither a price nor a refusal.
    private func reading(of tick: Tick, _ market: String, at now: Deadline.Instant) -> Reading? {
        if let refusal = subscriptions.refusal(of: market, at: now) ?? connection.refusal {
            return reading(of: tick, refusal)
        }
        // The latest price is not known while input from the feed is unread.
        guard connection.isCaughtUp, let (price, timestamp) = prices.price(of: market, at: now) else {
            return nil
        }
        let quote = Quote(
            price: price, currency: tick.pricedSymbol.currency, timestamp: timestamp,
            market: InlineText(market))
        return Reading(answering: tick, quote, from: source.name)
    }

    private func reading(of tick: Tick, _ error: FetchError) -> Reading {
        Reading(answering: tick, [error.failure(of: source.name)])
    }
}
