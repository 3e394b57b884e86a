import PipeCommon

/// Answers ticks with the prices of one source, which it requests for each tick or receives from a stream.
/// `advance` returns the new answers, oldest first.
protocol PriceFeed: AnyObject, Polled where Outcome == [Answer] {
    /// Accepts a tick, whose answer `advance` returns later.
    ///
    /// - Parameters:
    ///   - id: identifies the tick in its answer.
    ///   - timeout: the time limit for the answer, after which the caller calls `giveUp`.
    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant)

    /// Drops a tick whose time limit has passed.
    ///
    /// - Returns: the reading for the tick, without a quote.
    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading

    /// Ends the feed's connection or process: no more ticks will come.
    func end()
}

typealias Answer = (id: Int, reading: Reading)
