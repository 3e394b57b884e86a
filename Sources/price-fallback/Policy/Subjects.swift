import PipeCommon

/// The state of each subject. An event looks up its subject once, and finds all of its state at that index.
/// Pure.
struct Subjects {
    struct Memory {
        var primary = CircuitBreaker()
        var cooldowns = Cooldowns()
        var opinions: Opinions
    }

    /// The number of subjects at which sources cannot add more: twice the number that a pipeline is designed
    /// for.
    private static let most = 20_000

    private let sources: Int
    private let tolerance: Tolerance?
    private var places: [Subject: Int] = [:]
    private var memories: [Memory] = []

    /// - Parameter agree: the allowed difference between two sources' quotes; nil if they are not compared.
    init(sources: Int, agree: Tolerance?) {
        self.sources = sources
        // A single source cannot be contradicted.
        tolerance = sources > 1 ? agree : nil
    }

    subscript(place: Int) -> Memory {
        _read { yield memories[place] }
        _modify { yield &memories[place] }
    }

    mutating func place(of subject: Subject) -> Int {
        if let place = places[subject] { return place }
        // Candles are not compared.
        let opinions = Opinions(of: sources, within: subject.candle == nil ? tolerance : nil)
        memories.append(Memory(opinions: opinions))
        places[subject] = memories.count - 1
        return memories.count - 1
    }

    /// - Returns: nil for an unknown subject if there are already too many.
    mutating func place(of reading: Reading) -> Int? {
        memories.count < Self.most ? place(of: reading.subject) : places[reading.subject]
    }
}

/// Remembers the sources that have requested a pause: they rate-limit or deny us, or have no prices for a
/// symbol or no such candles. A pause applies only to the subject of the answer that requested it; a source
/// that must not be asked at all repeats the request for each subject. A cooldown outlives the source's
/// process. Pure.
struct Cooldowns {
    private var cooldowns: [Int: Cooldown<Failure>] = [:]

    /// The failure to report for a source that must not be asked now; nil when it may be asked.
    func failure(of source: Int, at now: Deadline.Instant) -> Failure? {
        cooldowns[source]?.reason(at: now)?.reason
    }

    /// Starts a cooldown if a reading without a new quote requests one.
    mutating func record(_ reading: Reading, from source: Int, at now: Deadline.Instant) {
        guard !reading.isFresh, let failure = reading.failures.last, let retry = failure.retry else { return }
        cooldowns[source, default: Cooldown()].start(failure.withoutRetryTime, for: retry, at: now)
    }
}
