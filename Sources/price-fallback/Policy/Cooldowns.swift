import PipeCommon

/// The sources that are left alone because they have limited or denied us, also while their processes come and
/// go: pure.
struct Cooldowns {
    private var cooldowns: [Int: Cooldown<Failure>] = [:]

    /// What is said for a source that is not to be asked now; nil when it may be asked.
    func failure(of source: Int, at now: Deadline.Instant) -> Failure? {
        cooldowns[source]?.reason(at: now)?.reason
    }

    /// Takes what is meant for us out of an answer.
    mutating func note(_ reading: Reading, from source: Int, at now: Deadline.Instant) -> Reading {
        var plain = reading
        plain.failures = reading.failures.map {
            Failure(source: $0.source, kind: $0.kind, message: $0.message)
        }
        if !reading.isFresh, let retry = reading.failures.last?.retry, let failure = plain.failures.last {
            cooldowns[source, default: Cooldown()].start(failure, for: retry, at: now)
        }
        return plain
    }
}
