import PipeCommon

/// Where the prices of one source come from: answers a tick, by asking or by having listened.
protocol Feed: HasDeadlines {
    /// Answers a tick with one reading, on any thread.
    ///
    /// - Parameter start: when the tick was read; from then on its time runs.
    func answer(
        _ tick: Tick, readAt start: Deadline.Instant, with give: @escaping @Sendable (Reading) -> Void)

    /// Whether a new run of this program would do better, and would know no less.
    var isWorn: Bool { get }

    /// No more ticks will come.
    func end()
}

extension Tick {
    /// How long its answer may take.
    func timeout(atMost limit: Duration) -> Duration { min(limit, timeout ?? limit) }
}
