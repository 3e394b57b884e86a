import PipeCommon

/// Remembers the sources that have asked for a pause, by rate-limiting or denying us, or because they do not price a
/// symbol or have no such candles. A pause is for the subject of the answer that asked for it: a source that wants none
/// at all says so in the answer to each subject. A cooldown outlives the source's process. Pure.
struct Cooldowns {
    private var cooldowns: [Int: Cooldown<Failure>] = [:]

    /// The failure to report for a source that must not be asked now; nil when it may be asked.
    func failure(of source: Int, at now: Deadline.Instant) -> Failure? {
        cooldowns[source]?.reason(at: now)?.reason
    }

    /// Begins a cooldown when a reading without a new quote asks for one.
    mutating func record(_ reading: Reading, from source: Int, at now: Deadline.Instant) {
        guard !reading.isFresh, let failure = reading.failures.last, let retry = failure.retry else { return }
        cooldowns[source, default: Cooldown()].start(failure.withoutRetryTime, for: retry, at: now)
    }
}

extension Failure {
    /// The failure for the next stage: the retry time concerns price-fallback only.
    var withoutRetryTime: Failure {
        retry == nil ? self : Failure(source: source, kind: kind, message: message)
    }
}
