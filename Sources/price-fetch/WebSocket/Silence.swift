import PipeCommon

/// Tracks how long a server has been silent: after a while it is asked once for a sign of life, and later the
/// connection is given up. Pure.
///
/// Each silent connection is given up to twice as much time as the one before it, because a quiet market
/// looks the same.
struct Silence {
    private static let longest = Duration.seconds(300)

    private let limit: Duration
    private let shortest: Duration
    private var patience: Duration
    private var lastSign: Deadline.Instant
    private var hasAsked = false

    /// - Parameters:
    ///   - limit: after half of this time the server is asked, and after twice this time it is given up for
    ///     the first time.
    ///   - shortest: the least time before it is given up.
    init(limit: Duration, shortest: Duration = .zero, at now: Deadline.Instant) {
        (self.limit, self.shortest, lastSign) = (limit, shortest, now)
        patience = max(limit * 2, shortest)
    }

    /// When `wantsSign` or `isTooLong` may next be true.
    var deadline: Deadline { Deadline(in: hasAsked ? patience : limit / 2, from: lastSign) }

    /// Starts the silence of a new connection.
    mutating func begin(at now: Deadline.Instant) {
        (lastSign, hasAsked) = (now, false)
    }

    mutating func hear(at now: Deadline.Instant) {
        self = Silence(limit: limit, shortest: shortest, at: now)
    }

    mutating func wantsSign(at now: Deadline.Instant) -> Bool {
        guard !hasAsked, now - lastSign >= limit / 2 else { return false }
        hasAsked = true
        return true
    }

    mutating func isTooLong(at now: Deadline.Instant) -> Bool {
        guard now - lastSign >= patience else { return false }
        patience = max(patience, min(patience * 2, Self.longest))
        begin(at: now)
        return true
    }
}
