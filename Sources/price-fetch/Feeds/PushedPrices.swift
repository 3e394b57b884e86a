import PipeCommon

/// The last price of each market in a feed, and when it was last known to be the last one. Pure.
///
/// A feed sends changes only: as long as it is proven alive, the last price is the price. The proof is a price of any
/// market or a heartbeat of the exchange, on the same connection, and its time is the time of the quote.
struct PushedPrices {
    private struct Pushed {
        let price: Price
        let sequence: Int?
        let connection: Int
    }

    private struct Proof {
        let at: Deadline.Instant
        let timestamp: Timestamp
    }

    private let maxAge: Duration
    private var prices: [String: Pushed] = [:]
    /// The last proof of life of the connection that is open, and of the one before it.
    private var proofs: [Int: Proof] = [:]
    private var connection = 0

    /// - Parameter maxAge: a price whose proof is this old or older is not given.
    init(maxAge: Duration) {
        self.maxAge = maxAge
    }

    /// A new connection proves nothing about prices that an old one brought.
    mutating func reconnect() {
        connection += 1
        proofs = proofs.filter { $0.key >= connection - 1 }
        prices = prices.filter { $0.value.connection >= connection - 1 }
    }

    mutating func proveLife(at now: Deadline.Instant, _ timestamp: Timestamp) {
        proofs[connection] = Proof(at: now, timestamp: timestamp)
    }

    /// - Parameter sequence: the exchange's own order, if it has one.
    /// - Returns: false when the exchange goes back in its own order. The price of the market is not known then: either
    ///   this message is late, or the one before it was ahead of its time.
    mutating func receive(_ price: Price, of market: String, sequence: Int?) -> Bool {
        if let last = prices[market], last.connection == connection, let before = last.sequence, let sequence,
            sequence < before
        {
            forget(market)
            return false
        }
        prices[market] = Pushed(price: price, sequence: sequence, connection: connection)
        return true
    }

    /// The markets that have a price.
    var markets: [String] { Array(prices.keys) }

    /// Whether a price that the connection brings now would be given.
    func isAlive(at now: Deadline.Instant) -> Bool {
        proofs[connection].map { now - $0.at < maxAge } ?? false
    }

    /// Forgets a market that is not subscribed any more, or whose price is not known.
    mutating func forget(_ market: String) {
        prices[market] = nil
    }

    /// Something could not be read: it may have been a newer price of any market.
    mutating func forgetAll() {
        prices = [:]
    }

    /// The price now, and when that was proven.
    func price(of market: String, at now: Deadline.Instant) -> (price: Price, timestamp: Timestamp)? {
        guard let pushed = prices[market], let proof = proofs[pushed.connection], now - proof.at < maxAge
        else {
            return nil
        }
        return (pushed.price, proof.timestamp)
    }
}
