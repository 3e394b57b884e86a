import PipeCommon

/// Remembers the sources that have asked for a pause, by rate-limiting or denying us. A cooldown outlives the
/// source's process. Pure.
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

extension Reading {
    /// The reading for the next stage: the retry times concern price-fallback only.
    var withoutRetryTimes: Reading {
        guard failures.contains(where: { $0.retry != nil }) else { return self }
        var reading = self
        reading.failures = failures.map(\.withoutRetryTime)
        return reading
    }
}

extension Failure {
    fileprivate var withoutRetryTime: Failure { Failure(source: source, kind: kind, message: message) }
}
