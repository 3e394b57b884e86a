import PipeCommon

/// Keeps the connections of the fallbacks open, so that they can answer within 200 ms when they are needed. A
/// fallback that has been idle for 50 seconds is sent one tick whose answer is discarded. Pure.
struct WarmUp {
    private static let idleTime = Duration.seconds(50)

    private var lastAsked: [Deadline.Instant?]

    init(sources: Int) {
        lastAsked = Array(repeating: nil, count: sources)
    }

    mutating func recordAsked(_ source: Int, at now: Deadline.Instant) {
        lastAsked[source] = now
    }

    /// The fallbacks to ask now. A fallback counts as idle from the first call on.
    mutating func due(at now: Deadline.Instant) -> [Int] {
        lastAsked.indices.dropFirst().filter { source in
            guard let last = lastAsked[source] else {
                lastAsked[source] = now
                return false
            }
            return now - last >= Self.idleTime
        }
    }
}
