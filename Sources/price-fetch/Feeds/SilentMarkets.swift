import PipeCommon

/// Polls the subscribed markets that a feed does not mention. An exchange may accept a subscription to a
/// market that it does not have, and a delisted market falls silent while others prove that the feed is
/// alive. Such markets are polled one at a time.
final class SilentMarkets {
    private static let limit = Duration.seconds(60)
    private static let timeout = Duration.seconds(5)

    private let makeSource: () -> any PriceFeed
    private lazy var source = makeSource()
    private var lastWords: [String: (symbol: Symbol, at: Deadline.Instant)] = [:]
    /// Markets that the exchange did not know when they were polled: next time they are polled without
    /// waiting for a minute.
    private var unknown: Set<String> = []
    private var asked: (market: String, tick: Tick, limit: Deadline)?

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

    /// There is none for the start of a poll, because `advance` is called every second while the feed is
    /// open.
    var nextDeadline: Deadline? {
        asked.flatMap { [$0.limit, source.nextDeadline].compactMap(\.self).min() }
    }

    /// - Parameter isAlive: whether the feed as a whole is alive.
    /// - Returns: a market that the exchange does not price, and why.
    func advance(
        _ ready: [pollfd], isAlive: Bool, at now: Deadline.Instant
    ) -> (market: String, failure: Failure)? {
        if isAlive, asked == nil { askForNext(at: now) }
        guard let (market, tick, limit) = asked else { return nil }
        let answers = source.advance(ready, at: now)
        let isLate = limit.hasPassed(at: now)
        guard
            let reading = answers.first?.reading
                ?? (isLate ? source.giveUp(0, tick, after: Self.timeout) : nil)
        else { return nil }
        asked = nil
        if let failure = reading.failures.first, failure.kind == .unsupported {
            forget(market)
            unknown.insert(market)
            return (market, failure)
        }
        // The market is just quiet, or the poll failed: poll it again in a minute.
        hear(market, at: now)
        return nil
    }

    private func askForNext(at now: Deadline.Instant) {
        guard let (market, word) = lastWords.first(where: { now - $1.at >= Self.limit }) else { return }
        asked = (market, Tick(symbol: word.symbol), Deadline(in: Self.timeout, from: now))
        source.ask(0, asked!.tick, within: Self.timeout, at: now)
    }
}
