import PipeCommon

/// Whether readings arrive at the pace of their own beats, by the monotonic clock: those of a recording arrive faster. The
/// wall clock of another machine does not matter. Pure.
struct Pace {
    /// How far beats may be ahead, in milliseconds: the first answer may take longer than the next ones.
    private static let slack = 2000

    private(set) var isLive = true
    /// When the latest beat was due, and when its first reading arrived.
    private var latest: (due: Timestamp, arrived: Deadline.Instant)?
    /// How much more time has passed from beat to beat than from arrival to arrival, in milliseconds.
    private var ahead = 0

    mutating func beginBeat(due: Timestamp?, at now: Deadline.Instant) {
        guard let due else {
            latest = nil
            return
        }
        if let latest, due > latest.due {
            let step = due.milliseconds - latest.due.milliseconds
            let elapsed = (now - latest.arrived).milliseconds
            // The clock of the source may have been set ahead: what counts is the pace since then.
            let keepsPace = 2 * elapsed >= step
            ahead = keepsPace && ahead > Self.slack ? 0 : ahead + step - elapsed
            isLive = ahead <= Self.slack
        }
        latest = (due, now)
    }

    /// The time by the clock that the beats go by; that of the last beat in a recording. Nil if beats have no times.
    func time(at now: Deadline.Instant) -> Timestamp? {
        latest.map { isLive ? $0.due + (now - $0.arrived) : $0.due }
    }
}
