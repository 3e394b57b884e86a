import PipeCommon

/// A limit on the rate of requests to an exchange, based on the exchange's documentation. A shared request may count as
/// several requests.
struct RateLimit: Sendable {
    /// The minimum average time between requests in the long run.
    let interval: Duration
    /// How many requests may follow each other without pauses after a long period without requests.
    let burst: Int
    /// The documented limit, such as `10 requests per second`.
    let words: String
    /// How long the exchange rejects requests after the limit is exceeded; nil if no fixed time is documented.
    var pause: Duration?
}

/// Uses the generic cell rate algorithm to compute when requests may start without exceeding a rate limit. Pure.
struct RequestPace {
    typealias Instant = Deadline.Instant

    let limit: RateLimit
    /// The earliest time at which the next request could start if requests were evenly spaced; nil before the first
    /// request.
    private var even: Instant?

    init(_ limit: RateLimit) {
        self.limit = limit
    }

    /// When a request may start.
    ///
    /// - Parameter place: the number of other requests that will start before this request.
    func start(after place: Int = 0, at now: Instant) -> Instant {
        max(now, max(even ?? now, now) + limit.interval * (place - limit.burst + 1))
    }

    /// Records that a request starts now.
    ///
    /// - Parameter weight: the number of requests that the exchange counts for this request.
    mutating func take(_ weight: Int = 1, at now: Instant) {
        even = max(even ?? now, now) + limit.interval * weight
    }
}

/// How long to pause after a server rejects a request for prices or candles because of its rate limit, if the source is
/// not paused already and neither the server's answer nor `RateLimit.pause` states a time. The first pause lasts one
/// second. Each further pause is twice as long as the previous pause, but at most 60 seconds. After a valid answer, the
/// next pause lasts one second again. Pure.
struct RefusalBackoff {
    private static let longest = Duration.seconds(60)

    private var next = Duration.seconds(1)

    mutating func refused() -> Duration {
        defer { next = min(next * 2, Self.longest) }
        return next
    }

    mutating func answered() {
        next = .seconds(1)
    }
}
