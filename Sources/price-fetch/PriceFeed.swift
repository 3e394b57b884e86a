import PipeCommon

/// Where the prices of one source come from: by asking at each tick, or by having listened.
protocol PriceFeed: AnyObject, Polled {
    /// Takes a tick, for which `advance` starts to find the quote.
    ///
    /// - Parameters:
    ///   - id: names the tick in `takeAnswers`, where its answer may be at once.
    ///   - timeout: how long the answer may take. The caller calls `giveUp` after that.
    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant)

    /// The answers since the last call, in the order in which they became known.
    func takeAnswers() -> [Answer]

    /// The time of a tick is up.
    ///
    /// - Returns: the reading without a quote.
    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading

    /// No more ticks will come.
    func end()
}

typealias Answer = (id: Int, reading: Reading)
