/// A moment on the monotonic clock by which something must have happened. It is computed once and passed down.
public struct Deadline: Hashable, Comparable, Sendable {
    public typealias Instant = ContinuousClock.Instant

    public let instant: Instant

    public init(_ instant: Instant) {
        self.instant = instant
    }

    public init(in duration: Duration, from start: Instant = .now) {
        instant = start + duration
    }

    /// Whether the time is up, as it is at the deadline itself.
    public func hasPassed(at now: Instant = .now) -> Bool {
        now >= instant
    }

    public func remaining(at now: Instant = .now) -> Duration {
        max(.zero, instant - now)
    }

    /// The remaining time in milliseconds, as `poll` takes it: rounded up, so that the deadline has passed afterwards.
    public var pollTimeout: Int32 {
        Int32(clamping: (remaining() + .nanoseconds(999_999)).milliseconds)
    }

    public static func < (left: Deadline, right: Deadline) -> Bool {
        left.instant < right.instant
    }
}
