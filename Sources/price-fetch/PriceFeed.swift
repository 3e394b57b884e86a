import PipeCommon

/// Where the prices of one source come from: by asking at each tick, or by having listened. `advance` returns the
/// answers that have become known, in that order.
protocol PriceFeed: AnyObject, Polled where Outcome == [Answer] {
    /// Takes a tick, for which `advance` starts to find the quote.
    ///
    /// - Parameters:
    ///   - id: names the tick in its answer.
    ///   - timeout: how long the answer may take. The caller calls `giveUp` after that.
    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant)

    /// The time of a tick is up.
    ///
    /// - Returns: the reading without a quote.
    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading

    /// No more ticks will come.
    func end()
}

typealias Answer = (id: Int, reading: Reading)
