import PipeCommon

/// What is remembered of each subject. An event looks its subject up once, and finds everything at that place. Pure.
struct Subjects {
    struct Memory {
        var primary = CircuitBreaker()
        var cooldowns = Cooldowns()
        var opinions: Opinions
    }

    /// A limit for what the sources can make us remember: twice what one pipeline is made for.
    private static let most = 20_000

    private let sources: Int
    private let tolerance: Tolerance?
    private var places: [Subject: Int] = [:]
    private var memories: [Memory] = []

    /// - Parameter agree: by how much the quotes of two sources may differ; nil if they are not compared.
    init(sources: Int, agree: Tolerance?) {
        self.sources = sources
        // A single source has nobody to contradict it.
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

    /// - Returns: nil for a new subject that no tick has named, when the sources have named too many of them.
    mutating func place(of reading: Reading) -> Int? {
        memories.count < Self.most ? place(of: reading.subject) : places[reading.subject]
    }
}

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
