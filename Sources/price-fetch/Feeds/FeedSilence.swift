import PipeCommon

/// How long an open feed has said nothing of its own, neither a price nor its heartbeat. Pure.
///
/// A feed that is silent for twice the age at which its prices expire is connected to again, but not between two
/// heartbeats, which come once per second. Each connection that says
/// nothing may be silent for twice as long as the one before it, because a quiet market is no different.
struct FeedSilence {
    private static let shortest = Duration.seconds(3)
    private static let longest = Duration.seconds(300)

    private let maxAge: Duration
    private var patience: Duration
    private var lastSign: Deadline.Instant
    private var hasAsked = false

    init(maxAge: Duration, at now: Deadline.Instant = .now) {
        self.maxAge = maxAge
        patience = max(maxAge * 2, Self.shortest)
        lastSign = now
    }

    /// When `wantsSign` or `isTooLong` changes.
    var deadline: Deadline { Deadline(in: hasAsked ? patience : maxAge / 2, from: lastSign) }

    /// A connection was opened.
    mutating func begin(at now: Deadline.Instant) {
        (lastSign, hasAsked) = (now, false)
    }

    mutating func hear(at now: Deadline.Instant) {
        self = FeedSilence(maxAge: maxAge, at: now)
    }

    /// Whether the feed is to be asked for its heartbeat: once in each silence.
    mutating func wantsSign(at now: Deadline.Instant) -> Bool {
        guard !hasAsked, now - lastSign >= maxAge / 2 else { return false }
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
