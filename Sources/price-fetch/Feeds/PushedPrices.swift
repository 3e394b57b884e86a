import PipeCommon

/// The last price of each market in a feed, and when it was last proven current. Pure.
///
/// A feed sends only changes: as long as it is proven alive, the last price is current. The proof is a price
/// of any market or a heartbeat of the exchange on the same connection, and its time becomes the time of the
/// quote.
struct PushedPrices {
    /// The prices and the sign of life from one connection.
    private struct Heard {
        var prices: [String: (price: Price, sequence: Int?)] = [:]
        /// The last sign of life.
        var proof: (at: Deadline.Instant, timestamp: Timestamp)?
    }

    private let maxAge: Duration
    /// From the current connection, and from the one before it.
    private var (current, before) = (Heard(), Heard())

    /// - Parameter maxAge: a price whose proof is this old or older is not returned.
    init(maxAge: Duration) {
        self.maxAge = maxAge
    }

    /// Starts a new connection, which proves nothing about the prices from an old one.
    mutating func reconnect() {
        (current, before) = (Heard(), current)
    }

    mutating func proveLife(at now: Deadline.Instant, _ timestamp: Timestamp) {
        current.proof = (now, timestamp)
    }

    /// - Parameter sequence: the exchange's sequence number, if it has one.
    /// - Returns: false if the sequence number goes backwards. The price of the market is then unknown:
    ///   either this message is late, or the one before it was early.
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

    /// Whether the current connection was proven alive recently enough for its prices to count.
    func isAlive(at now: Deadline.Instant) -> Bool {
        current.proof.map { now - $0.at < maxAge } ?? false
    }

    /// Forgets a market that is no longer subscribed, or whose price is not known.
    mutating func forget(_ market: String) {
        current.prices[market] = nil
        before.prices[market] = nil
    }

    /// Forgets all prices, because none is known to be current.
    mutating func forgetAll() {
        current.prices = [:]
        before.prices = [:]
    }

    /// The current price, and when it was last proven; nil if it is not known.
    func price(of market: String, at now: Deadline.Instant) -> (price: Price, timestamp: Timestamp)? {
        let heard = current.prices[market] == nil ? before : current
        guard let pushed = heard.prices[market], let proof = heard.proof, now - proof.at < maxAge else {
            return nil
        }
        return (pushed.price, proof.timestamp)
    }
}
