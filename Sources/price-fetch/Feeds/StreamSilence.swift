import PipeCommon

/// Decides when a stream that gives no price is restarted, such as one whose connection is half open: after five times
/// the age at which a price no longer counts. Pure.
struct StreamSilence {
    /// If the end of the limit is noticed this late, the machine or all of us were suspended, and the stream with us.
    private static let suspension = Duration.seconds(1)

    let limit: Duration
    private(set) var deadline = Deadline(.now)

    init(maxAge: Duration) {
        limit = maxAge * 5
    }

    /// To be called at the start of the stream and for each price.
    mutating func restart(at now: Deadline.Instant) {
        deadline = Deadline(in: limit, from: now)
    }

    mutating func isTooLong(at now: Deadline.Instant) -> Bool {
        if Deadline(in: Self.suspension, from: deadline.instant).hasPassed(at: now) { restart(at: now) }
        return deadline.hasPassed(at: now)
    }
}
