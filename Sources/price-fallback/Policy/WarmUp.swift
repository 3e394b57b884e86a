import PipeCommon

/// Keeps the fallbacks warm, sparingly: one that nobody has asked for 50 seconds is asked along with a tick,
/// and its answer dropped, so that its connection is open when it is needed within 200 ms. Pure.
struct WarmUp {
    private static let lasts = Duration.seconds(50)

    private var lastAsked: [Deadline.Instant?]

    init(sources: Int) {
        lastAsked = Array(repeating: nil, count: sources)
    }

    mutating func asked(_ source: Int, at now: Deadline.Instant) {
        lastAsked[source] = now
    }

    /// The fallbacks that are to be asked now although nobody needs them. Their time runs from the first call.
    mutating func cold(at now: Deadline.Instant) -> [Int] {
        lastAsked.indices.dropFirst().filter { source in
            guard let last = lastAsked[source] else {
                lastAsked[source] = now
                return false
            }
            return now - last >= Self.lasts
        }
    }
}
