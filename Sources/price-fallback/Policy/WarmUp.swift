import PipeCommon

/// Decides which idle fallbacks to query so that their connections stay open. This is needed only if the time limits
/// leave the fallbacks less than 300 ms to answer. In that case, a fallback that has been idle for a minute should be
/// sent one tick. Pure.
struct WarmUp {
    private static let idleTime = Duration.seconds(60)
    /// Usually enough time to open a new connection.
    private static let enoughTime = Duration.milliseconds(300)

    private let isNeeded: Bool
    private var turns = 0

    init(limits: TimeLimits) {
        isNeeded = limits.budget - limits.hedge < Self.enoughTime
    }

    /// The fallbacks to query now. If a fallback has not been queried yet, its idle time begins when this method is
    /// first called.
    func due(_ sources: inout [SourceState], at now: Deadline.Instant) -> [Int] {
        guard isNeeded else { return [] }
        return sources.indices.dropFirst().filter { source in
            guard let last = sources[source].lastAsked else {
                sources[source].lastAsked = now
                return false
            }
            return now - last >= Self.idleTime
        }
    }

    /// The tick to send to the idle fallbacks. The symbols take turns.
    mutating func nextTurn(among ticks: [Int]) -> Int {
        defer { turns += 1 }
        return ticks[turns % ticks.count]
    }
}
