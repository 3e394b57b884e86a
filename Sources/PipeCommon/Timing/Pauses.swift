/// A pause in the queries to a source, for all subjects, for a single subject or for a single market, for example
/// because the source has rate-limited us. The reason for the pause is stored as well, so that it can be reported
/// during the pause. Pure.
public struct Cooldown<Reason> {
    /// The longest pause: after an hour, a source may be queried again even if it requested a longer pause.
    private static var longest: Duration { .seconds(60 * 60) }

    private var pause: (until: Deadline, reason: Reason)?

    public init() {}

    /// Starts a pause, unless the pause in progress ends later.
    public mutating func start(_ reason: Reason, for duration: Duration, at now: Deadline.Instant) {
        let until = Deadline(in: min(duration, Self.longest), from: now)
        if let pause, pause.until > until { return }
        pause = (until, reason)
    }

    /// - Returns: the reason for the pause in progress and how much longer the pause lasts; nil if the source may be
    ///   queried.
    public func reason(at now: Deadline.Instant) -> (reason: Reason, remaining: Duration)? {
        guard let pause, !pause.until.hasPassed(at: now) else { return nil }
        return (pause.reason, pause.until.remaining(at: now))
    }
}

/// Decides when to restart a command that has ended or when to reopen a lost connection. The time between two
/// starts is at least a second. This minimum doubles each time, up to 30 seconds. After a command or a connection
/// has lasted at least 5 seconds, counted from its start, the minimum is a second again. Pure.
public struct RestartBackoff: Sendable {
    /// A command, or a connection that was opened, counts as healthy if it ends at least this long after its start.
    private static let healthy = Duration.seconds(5)
    private static let longest = Duration.seconds(30)

    private var lastStart: Deadline.Instant?
    private var wait = Duration.seconds(1)

    public init() {}

    public mutating func started(at now: Deadline.Instant) {
        lastStart = now
    }

    /// - Parameter wasOpen: false for a connection that could not be opened, however long the attempt took.
    /// - Returns: when to restart the command or reopen the connection.
    public mutating func ended(at now: Deadline.Instant, wasOpen: Bool = true) -> Deadline {
        guard let lastStart else { return Deadline(now) }
        if wasOpen, now - lastStart >= Self.healthy { wait = .seconds(1) }
        defer { wait = min(wait * 2, Self.longest) }
        return Deadline(in: wait, from: lastStart)
    }
}
