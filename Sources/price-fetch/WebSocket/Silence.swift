import PipeCommon

/// How long a server has said nothing: after a while it is asked for a sign, once, and later it is left. Pure.
///
/// Each connection that says nothing may be silent for twice as long as the one before it, because a quiet market is no
/// different.
struct Silence {
    private static let longest = Duration.seconds(300)

    private let limit: Duration
    private let shortest: Duration
    private var patience: Duration
    private var lastSign: Deadline.Instant
    private var hasAsked = false

    /// - Parameters:
    ///   - limit: after half of it the server is asked, and after twice as long it is left for the first time.
    ///   - shortest: but not before.
    init(limit: Duration, shortest: Duration = .zero, at now: Deadline.Instant) {
        (self.limit, self.shortest, lastSign) = (limit, shortest, now)
        patience = max(limit * 2, shortest)
    }

    /// When `wantsSign` or `isTooLong` changes.
    var deadline: Deadline { Deadline(in: hasAsked ? patience : limit / 2, from: lastSign) }

    /// A connection was opened.
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
