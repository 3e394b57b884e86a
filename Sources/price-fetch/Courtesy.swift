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
    private let said = Mutex(SaidOnChange())

    /// Why the source is not to be asked now, with what is left of that time; nil when it may be asked.
    func reason(at now: Deadline.Instant) -> Unanswered? {
        refused.withLock { refused in
            guard let refused, !refused.until.hasPassed(at: now) else { return nil }
            return refused.reason.retrying(after: refused.until.remaining(at: now))
        }
    }

    /// - Returns: what is to be said of it, when that is news.
    func note(_ reason: Unanswered?, at now: Deadline.Instant) -> String? {
        let refusal = reason.flatMap { reason in reason.retry.map { (reason, $0) } }
        if let (reason, retry) = refusal {
            refused.withLock { $0 = Refused(until: Deadline(in: retry, from: now), reason: reason) }
        }
        return said.withLock { $0.news(refusal.map { "\($0.0.message), left alone for a while" }) }
    }
}
