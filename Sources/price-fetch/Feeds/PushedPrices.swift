import PipeCommon

/// The last price of each market in a feed, and when it was last known to be the last one. Pure.
///
/// A feed sends changes only: as long as it is proven alive, the last price is the price. The proof is a price of any
/// market or a heartbeat of the exchange, on the same connection, and its time is the time of the quote.
struct PushedPrices {
    /// What one connection has brought.
    private struct Heard {
        var prices: [String: (price: Price, sequence: Int?)] = [:]
        /// The last sign of life.
        var proof: (at: Deadline.Instant, timestamp: Timestamp)?
    }

    private let maxAge: Duration
    /// On the connection that is open, and on the one before it.
    private var (current, before) = (Heard(), Heard())

    /// - Parameter maxAge: a price whose proof is this old or older is not given.
    init(maxAge: Duration) {
        self.maxAge = maxAge
    }

    /// A new connection proves nothing about prices that an old one brought.
    mutating func reconnect() {
        (current, before) = (Heard(), current)
    }

    mutating func proveLife(at now: Deadline.Instant, _ timestamp: Timestamp) {
        current.proof = (now, timestamp)
    }

    /// - Parameter sequence: the exchange's own order, if it has one.
    /// - Returns: false when the exchange goes back in its own order. The price of the market is not known then: either
    ///   this message is late, or the one before it was ahead of its time.
    mutating func receive(_ price: Price, of market: String, sequence: Int?) -> Bool {
        if let last = current.prices[market]?.sequence, let sequence, sequence < last {
            forget(market)
            return false
        }
        current.prices[market] = (price, sequence)
        return true
    }

    /// The markets that have a price.
    var markets: Set<String> { Set(current.prices.keys).union(before.prices.keys) }

    /// Whether a price that the connection brings now would be given.
    func isAlive(at now: Deadline.Instant) -> Bool {
        current.proof.map { now - $0.at < maxAge } ?? false
    }

    /// Forgets a market that is not subscribed any more, or whose price is not known.
    mutating func forget(_ market: String) {
        current.prices[market] = nil
        before.prices[market] = nil
    }

    /// Something could not be read: it may have been a newer price of any market.
    mutating func forgetAll() {
        current.prices = [:]
        before.prices = [:]
    }

    /// The price now, and when that was proven.
    func price(of market: String, at now: Deadline.Instant) -> (price: Price, timestamp: Timestamp)? {
        let heard = current.prices[market] == nil ? before : current
        guard let pushed = heard.prices[market], let proof = heard.proof, now - proof.at < maxAge else {
            return nil
        }
        return (pushed.price, proof.timestamp)
    }
}
