import PipeCommon

/// The number of requests that an exchange allows from one IP address, according to its documentation.
struct RateLimit: Sendable {
    /// The average time between two requests in the long run.
    let interval: Duration
    /// How many requests may be sent at once after a while without requests.
    let burst: Int
    /// The limit in the words of the documentation, such as `10 requests per second`.
    let words: String
    /// How long the exchange rejects requests after the limit is exceeded; nil if that is not documented.
    var pause: Duration?
}

/// Computes when requests may start so that they keep to a rate limit, with the generic cell rate algorithm. Pure.
struct RequestPace {
    typealias Instant = Deadline.Instant

    let limit: RateLimit
    /// When the next request would start if requests were evenly spaced.
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

    mutating func take(at now: Instant) {
        even = max(even ?? now, now) + limit.interval
    }
}

/// The pauses after refusals that do not state how long to wait: 1, 2, 4 and so on, up to 60 seconds, while the
/// refusals continue. Pure.
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
