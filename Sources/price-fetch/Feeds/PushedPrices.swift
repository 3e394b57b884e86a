import PipeCommon

/// The latest price of each market in a feed, and when this price was last proven current. Pure.
///
/// A feed need not repeat a price that has not changed, so the latest price counts as current as long as there is
/// recent proof that the feed is alive. The proof is a message, such as a heartbeat or a usable price of any market in
/// use, on the connection from which the latest price came. The time of the proof becomes the time of the quote.
struct PushedPrices {
    /// The prices from one connection, and the last proof that the connection is alive.
    private struct Heard {
        var prices: [String: (price: Price, sequence: Int?, time: Timestamp?)] = [:]
        /// The markets for which `receive` has returned false. Their further prices on this connection are ignored.
        var outOfOrder: Set<String> = []
        /// When the connection was last proven alive; nil before the first proof.
        var proof: (at: Deadline.Instant, timestamp: Timestamp)?
    }

    private let maxAge: Duration
    /// The prices from the current connection and from the previous connection.
    private var (current, before) = (Heard(), Heard())

    /// - Parameter maxAge: a price whose proof is this old or older is not returned.
    init(maxAge: Duration) {
        self.maxAge = maxAge
    }

    /// Records that a new connection was opened. The new connection proves nothing about the prices from the previous
    /// connection.
    mutating func reconnect() {
        (current, before) = (Heard(), current)
    }

    mutating func proveLife(at now: Deadline.Instant, _ timestamp: Timestamp) {
        current.proof = (now, timestamp)
    }

    /// Records a price. A price without a sequence number is ignored if, by the exchange's time, it is older than the
    /// market's recorded price.
    ///
    /// - Parameters:
    ///   - sequence: the exchange's sequence number, or a time that serves as a sequence number; nil if neither is
    ///     known.
    ///   - time: the time of the price or of its message, according to the exchange; nil if it is not known.
    /// - Returns: false the first time that the sequence number is lower than the sequence number of the market's
    ///   recorded price from the same connection. The price of the market is then unknown: either this message is late,
    ///   or the preceding message was early.
    mutating func receive(_ price: Price, of market: String, sequence: Int?, time: Timestamp? = nil)
        -> Bool
    {
        if current.outOfOrder.contains(market) { return true }
        if let last = current.prices[market]?.sequence, let sequence, sequence < last {
            current.outOfOrder.insert(market)
            forget(market)
            return false
        }
        if sequence == nil, let last = self.time(of: market), let time, time < last { return true }
        current.prices[market] = (price, sequence, time)
        return true
    }

    /// The markets with a recorded price.
    var markets: Set<String> { Set(current.prices.keys).union(before.prices.keys) }

    /// The time of a market's latest price or of its message, according to the exchange; nil if it is not known.
    func time(of market: String) -> Timestamp? { (current.prices[market] ?? before.prices[market])?.time }

    /// Whether the current connection was proven alive recently enough for its prices to count.
    func isAlive(at now: Deadline.Instant) -> Bool {
        current.proof.map { now - $0.at < maxAge } ?? false
    }

    /// Forgets the price of a market. Called when the market is no longer in use or its price may be out of date.
    mutating func forget(_ market: String) {
        current.prices[market] = nil
        before.prices[market] = nil
    }

    /// Forgets all prices, because none is known to be current.
    mutating func forgetAll() {
        current.prices = [:]
        before.prices = [:]
    }

    /// The price of a market, and when it was last proven current; nil if the current price is not known.
    func price(of market: String, at now: Deadline.Instant) -> (price: Price, timestamp: Timestamp)? {
        let heard = current.prices[market] == nil ? before : current
        guard let pushed = heard.prices[market], let proof = heard.proof, now - proof.at < maxAge else {
            return nil
        }
        return (pushed.price, proof.timestamp)
    }
}

/// Polls a market in use if the feed is alive but has sent no usable price for the market for a minute. Only one market
/// is polled at a time. A silent market might not exist, because some exchanges accept subscriptions to nonexistent
/// markets. It might also be delisted, or its stream might have died even though other messages prove that the feed is
/// alive.
final class SilentMarkets {
    enum Finding {
        /// The exchange does not offer the market. The text is the reason.
        case unsupported(String)
        case quote(Quote)
    }

    private static let limit = Duration.seconds(60)
    private static let timeout = Duration.seconds(5)

    private let makeSource: () -> any PriceFeed
    private lazy var source = makeSource()
    private var lastWords: [String: (symbol: Symbol, at: Deadline.Instant)] = [:]
    /// Markets that the exchange did not offer when they were last polled, unless the feed has sent a usable price
    /// since. When such a market is in use again, it is polled as soon as possible instead of after a minute.
    private var unknown: Set<String> = []
    private var asked: (market: String, question: Question)?

    /// - Parameter source: makes a feed that polls the same exchange.
    init(polling source: @escaping () -> any PriceFeed) {
        makeSource = source
    }

    /// Records that a tick requests a market.
    func ask(_ market: String, _ symbol: Symbol, at now: Deadline.Instant) {
        guard lastWords[market] == nil else { return }
        lastWords[market] = (symbol, unknown.contains(market) ? now + (.zero - Self.limit) : now)
    }

    func hear(_ market: String, at now: Deadline.Instant) {
        lastWords[market]?.at = now
        unknown.remove(market)
    }

    func forget(_ market: String) {
        lastWords[market] = nil
    }

    // MARK: The poll loop

    var watched: [pollfd] { asked == nil ? [] : source.watched }

    /// When `advance` must be called for the poll under way; nil if no poll is under way. No deadline is needed to
    /// start a poll, because `advance` is called about once a second or more often while the connection is open.
    var nextDeadline: Deadline? {
        asked.flatMap { [$0.question.deadline, source.nextDeadline].compactMap(\.self).min() }
    }

    /// - Parameter isAlive: whether the feed as a whole is alive.
    /// - Returns: the market whose poll has ended, and its price or the reason why the exchange does not offer it; nil
    ///   if no poll has ended, if the poll failed for another reason, or if the result of the poll is out of date.
    func advance(
        _ ready: [pollfd], isAlive: Bool, at now: Deadline.Instant
    ) -> (market: String, finding: Finding)? {
        if isAlive, asked == nil { askForNext(at: now) }
        guard let (market, question) = asked else { return nil }
        var quote = source.advance(ready, at: now).first?.quote
        if quote == nil, question.deadline.hasPassed(at: now) { quote = .failure(source.giveUp(question)) }
        guard let quote else { return nil }
        asked = nil
        // The result is out of date if, since the poll began, the feed has sent a price for this market or the market
        // has been forgotten.
        guard let word = lastWords[market], word.at < question.time else { return nil }
        if case .failure(let error) = quote, error.kind == .unsupported {
            forget(market)
            unknown.insert(market)
            return (market, .unsupported(error.message))
        }
        // Whether or not the poll returned a price, the market is not polled again for a minute.
        hear(market, at: now)
        return (try? quote.get()).map { (market, .quote($0)) }
    }

    private func askForNext(at now: Deadline.Instant) {
        guard let (market, word) = lastWords.first(where: { now - $1.at >= Self.limit }) else { return }
        let question = Question(
            id: 0, subject: Subject(word.symbol, nil), at: .now(), beat: nil, timeout: Self.timeout, time: now
        )
        asked = (market, question)
        source.ask(question)
    }
}
