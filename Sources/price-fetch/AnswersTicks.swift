import PipeCommon

/// Answers ticks from one source, however it gets the price.
protocol AnswersTicks: Sendable {
    /// - Parameter start: when the tick was read; from then on its time runs.
    func reading(for tick: Tick, readAt start: Deadline.Instant) async -> Reading

    /// Whether a new run of this program would do better, and would know no less.
    var isWorn: Bool { get }

    /// No more ticks will come.
    func end()
}
