import PipeCommon

/// Where the prices of one source come from: answers a tick, by asking or by having listened.
protocol Feed: Sendable {
    /// - Parameter start: when the tick was read; from then on its time runs.
    func reading(for tick: Tick, readAt start: Deadline.Instant) async -> Reading

    /// Whether a new run of this program would do better, and would know no less.
    var isWorn: Bool { get }

    /// No more ticks will come.
    func end()
}
