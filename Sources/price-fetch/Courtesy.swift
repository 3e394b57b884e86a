import PipeCommon
import Synchronization

/// Leaves a source alone that has limited or denied us: until its time is up it is not asked, and its refusal
/// is the answer to each tick at once.
final class Courtesy: Sendable {
    private struct Refused {
        let until: Deadline
        let reason: Unanswered
    }

    private let refused = Mutex<Refused?>(nil)

    /// Why the source is not to be asked now, with what is left of that time; nil when it may be asked.
    func reason(at now: Deadline.Instant) -> Unanswered? {
        refused.withLock { refused in
            guard let refused, !refused.until.hasPassed(at: now) else { return nil }
            return refused.reason.retrying(after: refused.until.remaining(at: now))
        }
    }

    func note(_ reason: Unanswered, at now: Deadline.Instant) {
        guard let retry = reason.retry else { return }
        refused.withLock { $0 = Refused(until: Deadline(in: retry, from: now), reason: reason) }
    }
}
