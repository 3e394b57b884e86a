/// A pause during which a source is not asked, because it has rate-limited or denied us, and the reason to
/// report in the meantime. Pure.
public struct Cooldown<Reason> {
    /// However long a pause a source requests, it is asked again after an hour.
    private static var longest: Duration { .seconds(60 * 60) }

    private var pause: (until: Deadline, reason: Reason)?

    public init() {}

    public mutating func start(_ reason: Reason, for duration: Duration, at now: Deadline.Instant) {
        pause = (Deadline(in: min(duration, Self.longest), from: now), reason)
    }

    /// - Returns: why the source is not asked now, and for how much longer; nil when it may be asked.
    public func reason(at now: Deadline.Instant) -> (reason: Reason, remaining: Duration)? {
        guard let pause, !pause.until.hasPassed(at: now) else { return nil }
        return (pause.reason, pause.until.remaining(at: now))
    }
}
