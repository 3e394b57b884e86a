/// A moment on the monotonic clock, with nanosecond precision, at which a time limit ends or something is due. A
/// deadline is computed once and passed on, so that several operations share one time limit. Changes to the wall clock
/// do not affect a deadline. Time on the monotonic clock passes even while the machine sleeps. A deadline must not be
/// passed to another process, because that process may run on another machine.
public struct Deadline: Hashable, Comparable, Sendable {
    /// A moment on a clock that keeps running while the machine sleeps. `ContinuousClock` reads the same clock, but a
    /// program that uses `ContinuousClock` loads Swift's concurrency library and needs more memory.
    public struct Instant: Hashable, Comparable, Sendable {
        private let time: Duration

        public static var now: Instant { Instant(time: duration(monotonicClock)) }

        /// How long the machine has slept since it was started. The result is not exact, because two clocks are read
        /// one after the other.
        public static var sleepTime: Duration { duration(monotonicClock) - duration(wakingClock) }

        private static func duration(_ clock: clockid_t) -> Duration {
            let now = reading(of: clock)
            return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        }

        public static func + (start: Instant, duration: Duration) -> Instant {
            Instant(time: start.time + duration)
        }

        public static func - (end: Instant, start: Instant) -> Duration {
            end.time - start.time
        }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.time < right.time
        }
    }

    public let instant: Instant

    public init(_ instant: Instant) {
        self.instant = instant
    }

    /// - Parameter duration: the time from `start` to the deadline; may be negative.
    public init(in duration: Duration, from start: Instant = .now) {
        instant = start + duration
    }

    /// Whether the deadline has been reached.
    public func hasPassed(at now: Instant = .now) -> Bool {
        now >= instant
    }

    /// The time that is left until the deadline; zero if it has passed.
    public func remaining(at now: Instant = .now) -> Duration {
        max(.zero, instant - now)
    }

    /// The time that is left, in milliseconds as `poll` expects it. It is rounded up, so that the deadline has passed
    /// when `poll` times out. If the time does not fit into `Int32` (a month, for example), the result is the largest
    /// `Int32`, and `poll` times out before the deadline.
    public var pollTimeout: Int32 {
        Int32(clamping: (remaining() + .nanoseconds(999_999)).milliseconds)
    }

    public static func < (left: Deadline, right: Deadline) -> Bool {
        left.instant < right.instant
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
