import PipeCommon

/// Answers ticks with the latest price from an exchange's push feed or, if polling shows that a market's stream has
/// died, with the polled price. One WebSocket serves all symbols. The program subscribes to a symbol when a tick
/// requests that symbol, unless the symbol is excluded or not supported. While no symbol is in use, the WebSocket is
/// closed.
final class PushFeed: PriceFeed {
    /// The maximum size of a message that is parsed, in bytes. A parsed message takes up to fifty times as much
    /// memory as its text.
    private static let largestMessage = 256 * 1024

    let source: PriceSource
    private let push: PushSource
    private let connection: FeedConnection
    private let silentMarkets: SilentMarkets?
    private let reports: Reports
    private let now: () -> Timestamp
    private var subscriptions: Subscriptions
    private var prices: PushedPrices
    /// Measures how long the feed has been silent. The measurement starts again when the feed sends a heartbeat or a
    /// usable price, when a connection is opened, and when the silence becomes too long.
    private var silence: Silence
    /// When to request a heartbeat even if the feed is not silent; nil to request heartbeats only after silence or
    /// not at all.
    private var nextHeartbeat: Deadline?
    private var waiting: [(question: Question, market: String)] = []
    private var answers: [Answer] = []
    /// The polled prices of markets whose stream has died. A polled price is not used if it is too old. It is removed
    /// when the feed sends a new price for the market and, for example, after a suspension.
    private var polled: [String: (quote: Quote, at: Deadline.Instant)] = [:]
    /// For each market whose price was replaced by a polled price, the replaced price and the time that the exchange
    /// stated for it. The feed may send this price again after the subscription is renewed.
    private var replaced: [String: (price: Price, time: Timestamp)] = [:]
    /// When the feed last reported a halt of all markets; nil before the first report.
    private var halted: Timestamp?
    private let maxAge: Duration

    /// - Parameter silentMarkets: polls the markets for which the feed sends no price; nil to disable this polling.
    init(
        _ source: PriceSource, _ push: PushSource, connection: FeedConnection, maxAge: Duration,
        silentMarkets: SilentMarkets? = nil, reports: Reports,
        now: @escaping () -> Timestamp = Timestamp.now
    ) {
        (self.source, self.push, self.reports) = (source, push, reports)
        self.connection = connection
        self.silentMarkets = silentMarkets
        self.now = now
        self.maxAge = maxAge
        subscriptions = Subscriptions(largestBatch: push.largestBatch)
        prices = PushedPrices(maxAge: maxAge)
        // Some feeds send a heartbeat only once per second. Therefore, the allowed silence of the feed is at least
        // three seconds, even if `maxAge` is small.
        silence = Silence(limit: maxAge, shortest: .seconds(3), at: .now)
    }

    var name: String { source.name }

    /// Accepts a question. `advance` answers it with a quote only after all messages that have arrived on the current
    /// connection have been read.
    func ask(_ question: Question) {
        let symbol = question.subject.symbol
        do throws(InvalidInput) {
            let market = push.name(try source.market(of: symbol))
            waiting.append((question, market))
            subscriptions.ask(market, at: question.time)
            if subscriptions.contains(market) { silentMarkets?.ask(market, symbol, at: question.time) }
        } catch {
            answers.append(Answer(id: question.id, quote: .failure(FetchError(unsupported: error))))
        }
    }

    func giveUp(_ question: Question) -> FetchError {
        waiting.removeAll { $0.question.id == question.id }
        let late = "no price in the feed within \(question.timeout.milliseconds) ms"
        return FetchError(.timeout, connection.problem?.message ?? late)
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
            forget(market)
            silentMarkets?.forget(market)
        }
        connection.isWanted = !subscriptions.isEmpty
        let polled = Set(silentMarkets?.watched.map(\.fd) ?? [])
        let events = connection.advance(ready.filter { !polled.contains($0.fd) }, at: now)
        // If a message requires a new connection, the messages after it are still processed, because they may contain
        // newer prices of other markets.
        if !events.reduce(true, { receive($1, at: now) && $0 }) { connection.renew(at: now) }
        if connection.isOpen { listen(at: now) }
        checkSilentMarkets(ready.filter { polled.contains($0.fd) }, at: now)
        waiting.removeAll { question, market in
            guard let quote = quote(of: market, for: question.subject.symbol, at: now) else {
                return false
            }
            answers.append(Answer(id: question.id, quote: quote))
            return true
        }
        defer { answers = [] }
        return answers
    }

    /// Sends the requests that are due. Reconnects if the feed has been silent for too long.
    private func listen(at now: Deadline.Instant) {
        while let (verb, markets) = subscriptions.next(at: now) {
            for group in push.needsOwnMessages ? markets.map({ [$0] }) : [markets] {
                connection.send(push.request(verb, group).utf8)
            }
        }
        let isDue = nextHeartbeat?.hasPassed(at: now) == true
        if silence.wantsSign(at: now) || isDue, let heartbeat = push.heartbeat {
            connection.send(heartbeat.request.utf8)
            nextHeartbeat = heartbeat.interval.map { Deadline(in: $0, from: now) }
        }
        if silence.isTooLong(at: now) {
            report(.silence, of: nil, "the feed is silent; reconnecting", at: now)
            connection.renew(at: now)
        }
    }

    private func checkSilentMarkets(_ ready: [pollfd], at now: Deadline.Instant) {
        let isAlive = connection.isOpen && prices.isAlive(at: now)
        guard let (market, finding) = silentMarkets?.advance(ready, isAlive: isAlive, at: now) else { return }
        switch finding {
        case .unsupported(let reason):
            subscriptions.leaveOut(market, because: reason, at: now)
            forget(market)
        case .quote(let polled) where replaced[market] != nil:
            // The feed has not sent a newer usable price since the stream died.
            self.polled[market] = (polled, now)
        case .quote(let polled):
            // The market is assumed to be merely quiet if the feed's price is unknown or equals the polled price.
            guard let pushed = prices.price(of: market, at: now)?.price,
                pushed.units != polled.price.units
            else { return }
            let words = "\(pushed.text), but the polled price is \(polled.price.text)"
            report(
                .stream, of: market, "\(market)'s price has stopped at \(words); subscribing again", at: now)
            replace(pushed, of: market, by: polled, at: now)
        }
    }

    /// Called when a market's stream has died. Replaces the market's price with the polled price and subscribes to the
    /// market again.
    private func replace(
        _ pushed: Price, of market: String, by polled: Quote, at now: Deadline.Instant
    ) {
        let time = prices.time(of: market)
        forget(market)
        subscriptions.renew(market)
        self.polled[market] = (polled, now)
        if let time { replaced[market] = (pushed, time) }
    }

    /// Forgets a market's price, whether it came from the feed or was polled.
    private func forget(_ market: String) {
        prices.forget(market)
        (polled[market], replaced[market]) = (nil, nil)
    }

    private func forgetAll() {
        prices.forgetAll()
        polled = [:]
    }

    private func polledPrice(of market: String, at now: Deadline.Instant) -> (
        price: Price, timestamp: Timestamp
    )? {
        guard let (quote, time) = polled[market], now - time < maxAge else { return nil }
        return (quote.price, quote.timestamp)
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
        case .suspended: forgetAll()
        case .pong: break
        case .text(let bytes), .binary(let bytes):
            do throws(InvalidInput) {
                guard bytes.count <= Self.largestMessage else {
                    throw InvalidInput("it is larger than \(Self.largestMessage / 1024) KiB")
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
                try PriceAge.checkNotAhead(time, at: self.now())
            } catch {
                let reason = [error.reason, connection.clockProblem].compactMap(\.self).joined(
                    separator: ": ")
                return receive(.unreadable(market: market, reason: reason), at: now)
            }
            // A price from before the halt is not current.
            if let halted, time < halted, halted <= self.now() { break }
            if let last = replaced[market],
                time < last.time || time == last.time && price.units == last.price.units
            {
                break
            }
            replaced[market] = nil
            guard prices.receive(price, of: market, sequence: sequence, time: time) else {
                report(
                    .order, of: market, "messages about \(market) are out of order; reconnecting",
                    at: now)
                return false
            }
            polled[market] = nil
            silentMarkets?.hear(market, at: now)
            proveLife(at: now)
        case .heartbeat: proveLife(at: now)
        case .several(let messages): return messages.reduce(true) { receive($1, at: now) && $0 }
        case .unreadable(let market?, let reason):
            guard subscriptions.contains(market) else { break }
            forget(market)
            report(.unreadable, of: market, "cannot use a message about \(market): \(reason)", at: now)
        case .unreadable(nil, let reason):
            // The message may have contained a newer price of any market.
            forgetAll()
            report(.unreadable, of: nil, "cannot use a message: \(reason)", at: now)
        case .halted(let reason):
            forgetAll()
            halted = self.now()
            report(.halt, of: nil, "discarded the last prices of all markets: \(reason)", at: now)
        case .accepted(let market): subscriptions.accept(market)
        case .subscribed(let markets):
            let isAnswer = subscriptions.isWaiting
            subscriptions.accept()
            // An empty list in answer to a request does not mean that all subscriptions have ended.
            if isAnswer, markets.isEmpty { break }
            for market in prices.markets where !markets.contains(market) { end(market, at: now) }
        case .ended(let market): end(market, at: now)
        case .refused(let words):
            let reason = words ?? FetchError.noReason
            // If the rejected market is known, nothing is reported here: the ticks for that market fail, and their
            // failures contain the reason.
            if let market = subscriptions.refuse(reason, at: now) {
                forget(market)
                silentMarkets?.forget(market)
            } else {
                report(.refusal, of: nil, "the exchange reports an error: \(reason)", at: now)
            }
        case .reconnect: return false
        case .other: break
        }
        return true
    }

    private func proveLife(at now: Deadline.Instant) {
        prices.proveLife(at: now, self.now())
        silence.hear(at: now)
    }

    private func end(_ market: String, at now: Deadline.Instant) {
        guard subscriptions.end(market, at: now) else { return }
        forget(market)
        report(.end, of: market, "the exchange has ended the subscription to \(market)", at: now)
    }

    private func report(
        _ kind: Reports.Kind, of market: String?, _ text: String, at now: Deadline.Instant
    ) {
        reports.report(kind, of: market, "\(source.name): \(text)", at: now)
    }

    // MARK: Answers

    /// - Returns: an error if the market is excluded or the server must not be contacted now; otherwise the latest
    ///   quote, or nil if the latest price is not known.
    private func quote(
        of market: String, for symbol: Symbol, at now: Deadline.Instant
    ) -> Result<Quote, FetchError>? {
        if let refusal = subscriptions.refusal(of: market, at: now) ?? connection.refusal(at: now) {
            return .failure(refusal)
        }
        // The latest price is not known while input from the feed is unread.
        guard connection.isCaughtUp,
            let (price, timestamp) = prices.price(of: market, at: now) ?? polledPrice(of: market, at: now)
        else { return nil }
        return .success(
            Quote(price: price, currency: symbol.currency, timestamp: timestamp, market: InlineText(market)))
    }
}
