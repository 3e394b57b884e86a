import PipeCommon

/// Two feeds of one source: one answers the ticks for the price now, the other one those for candles.
final class RoutingFeed: PriceFeed {
    private let prices: any PriceFeed
    private let candles: any PriceFeed

    init(prices: any PriceFeed, candles: any PriceFeed) {
        (self.prices, self.candles) = (prices, candles)
    }

    private func feed(of tick: Tick) -> any PriceFeed {
        tick.candle == nil ? prices : candles
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        feed(of: tick).ask(id, tick, within: timeout, at: now)
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        feed(of: tick).giveUp(id, tick, after: timeout)
    }

    func end() {
        prices.end()
        candles.end()
    }

    // MARK: The poll loop

    var watched: [pollfd] { prices.watched + candles.watched }

    var nextDeadline: Deadline? {
        [prices.nextDeadline, candles.nextDeadline].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        let ofPrices = Set(prices.watched.map(\.fd))
        return prices.advance(ready.filter { ofPrices.contains($0.fd) }, at: now)
            + candles.advance(ready.filter { !ofPrices.contains($0.fd) }, at: now)
    }
}
