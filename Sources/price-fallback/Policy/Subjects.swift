import PipeCommon

/// The state of each subject. When a tick or a reading arrives, the index of its subject is looked up; the subject's
/// state is stored at this index. Memory use is limited: once `most` subjects are stored, a tick's new subject replaces
/// a subject that has not been used recently, provided that the search finds such a subject. Pure.
struct Subjects {
    struct Memory {
        var primary = CircuitBreaker()
        var cooldowns = Cooldowns()
        var opinions: Opinions
        var secondOpinion = SecondOpinion()
        fileprivate let subject: Subject
        /// Whether a tick has used the subject since the subject was added or since the search for a replaceable
        /// subject last passed over it, whichever came later.
        fileprivate var isRecent = false
    }

    /// The maximum number of subjects, which is more than the 10,000 symbols that a pipeline is designed for. It is
    /// exceeded only if none of the subjects that the search examines can be replaced.
    static let most = 10_500

    private let tolerance: Tolerance?
    private var places: [Subject: Int] = [:]
    private var memories: [Memory] = []
    /// The index at which the search for a replaceable subject continues.
    private var hand = 0

    /// - Parameter agree: the allowed difference between two sources' quotes; nil if opinions are not compared.
    init(sources: Int, agree: Tolerance?) {
        // A single source cannot be contradicted.
        tolerance = sources > 1 ? agree : nil
    }

    /// The getter is not a `_read` accessor, for the reason given in `PendingTicks`.
    subscript(place: Int) -> Memory {
        get { memories[place] }
        _modify { yield &memories[place] }
    }

    /// The index of a subject's state; nil if the subject is not known.
    func known(_ subject: Subject) -> Int? { places[subject] }

    /// The index of a subject's state. An unknown subject is added.
    ///
    /// - Parameter isPending: whether the subject at an index must be kept because it has pending ticks.
    mutating func place(of subject: Subject, unless isPending: (Int) -> Bool) -> Int {
        if let place = places[subject] {
            memories[place].isRecent = true
            return place
        }
        guard memories.count >= Self.most, let place = free(unless: isPending) else { return append(subject) }
        places[memories[place].subject] = nil
        memories[place] = memory(of: subject)
        places[subject] = place
        return place
    }

    /// The index of the state of a reading's subject. Unlike a tick's subject, a reading's subject never replaces
    /// another subject.
    ///
    /// - Returns: nil if the subject is not known and the maximum number of subjects is reached.
    mutating func place(of reading: borrowing Reading) -> Int? {
        places[reading.subject]
            ?? (memories.count < Self.most ? append(reading.subject) : nil)
    }

    private mutating func append(_ subject: Subject) -> Int {
        memories.append(memory(of: subject))
        places[subject] = memories.count - 1
        return memories.count - 1
    }

    /// The initial state of a subject.
    private func memory(of subject: Subject) -> Memory {
        // Candles are not compared.
        let opinions = Opinions(within: subject.candle == nil ? tolerance : nil)
        return Memory(opinions: opinions, subject: subject)
    }

    /// The next index whose subject can be replaced: the subject has no pending ticks, and `isRecent` is false. Nil if
    /// the search does not find such a subject within 16 attempts.
    private mutating func free(unless isPending: (Int) -> Bool) -> Int? {
        // A few attempts are enough, because each failed attempt clears `isRecent`: when the search returns to the same
        // index, the subject can be replaced unless a tick has used it in the meantime or still needs it.
        for _ in 0..<16 {
            defer { hand = (hand + 1) % memories.count }
            if !memories[hand].isRecent, !isPending(hand) { return hand }
            memories[hand].isRecent = false
        }
        return nil
    }
}

/// Remembers the sources that have requested a pause, for example because they are overloaded, rate-limit us, deny us
/// access, or do not offer the symbol or candles. A pause applies only to the subject of the answer that requested it;
/// a source that must not be queried at all requests a pause for each subject. A cooldown outlives the source's
/// process. Pure.
struct Cooldowns {
    private var cooldowns: [Int: Cooldown<Failure>] = [:]

    /// The failure to report for a source that must not be queried now; nil when it may be queried.
    func failure(of source: Int, at now: Deadline.Instant) -> Failure? {
        cooldowns[source]?.reason(at: now)?.reason
    }

    /// Starts a cooldown if the last failure of a reading without a new quote requests a pause, unless a cooldown in
    /// progress ends later.
    mutating func record(_ reading: Reading, from source: Int, at now: Deadline.Instant) {
        guard !reading.isFresh, let failure = reading.failures.last, let retry = failure.retry else { return }
        cooldowns[source, default: Cooldown()].start(failure.withoutRetryTime, for: retry, at: now)
    }
}

/// Detects when the primary has failed for so many consecutive ticks of one symbol that it should only be probed. Pure.
struct CircuitBreaker {
    /// The result of querying the primary for one tick.
    enum Outcome {
        /// The result is not known yet, or it must not be counted.
        case pending
        case succeeded
        case failed(Failure)
    }

    private var failures = 0
    private var last: (source: String, kind: Failure.Kind)?

    /// - Parameter limit: the number of failures in a row after which the primary is only probed; 0 disables this.
    /// - Returns: the failure to report for a primary that is only probed; nil when ticks wait for the primary.
    func probingFailure(after limit: Int) -> Failure? {
        guard limit > 0, failures >= limit, let last else { return nil }
        let cause = limit == 1 ? "a failure" : "\(limit) failures in a row"
        return Failure(
            source: last.source, kind: last.kind, message: "after \(cause), the source is only probed")
    }

    /// Records an outcome. After a success, ticks wait for the primary again. A failure of the kind `expired` does not
    /// count: it comes from a store, which usually answers immediately, so waiting for the store takes little time and
    /// may save requests to the fallbacks.
    mutating func record(_ outcome: Outcome) {
        switch outcome {
        case .pending: break
        case .failed(let failure) where failure.kind == .expired: break
        case .failed(let failure): (failures, last) = (failures + 1, (failure.source, failure.kind))
        case .succeeded: self = CircuitBreaker()
        }
    }
}
