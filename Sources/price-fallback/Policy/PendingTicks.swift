import PipeCommon

/// The ticks that are not finished, oldest first. Most events affect only a few ticks. These ticks are usually found
/// without a search through all ticks, so the cost per symbol does not grow with the number of symbols. Pure.
struct PendingTicks {
    private struct Name: Hashable {
        let number: Int?
        let subject: Int
    }

    /// The ticks of one subject. The unanswered ticks form a linked list.
    private struct OfSubject {
        var count = 0
        var firstUnanswered: Int?
        /// Valid only if there is an unanswered tick.
        var lastUnanswered: Int
    }

    /// Finds the ticks that have reached one kind of limit. All ticks of a queue have the same limit, so they reach it
    /// in the order of their ids. There is one exception: if the primary is only probed, the hedge time of a tick is
    /// zero, so that the fallbacks are queried when the tick arrives. Ticks for candles have their own queues, because
    /// `--median` changes only the limits of ticks for current prices.
    private struct Queue {
        let limit: TimeLimits.Kind
        let hasCandles: Bool
        var nextID = 0
    }

    private var ticks: [PendingTick?] = []
    /// The id of the first element of `ticks`, and the number of finished ticks at the beginning of `ticks`.
    private var (firstID, finished) = (0, 0)
    private var named: [Name: [Int]] = [:]
    private var subjects: [OfSubject] = []
    private var queues = TimeLimits.Kind.allCases.flatMap { limit in
        [false, true].map { Queue(limit: limit, hasCandles: $0) }
    }
    /// The number of ticks without an answer.
    private(set) var unansweredCount = 0

    var ids: Range<Int> { firstID + finished..<firstID + ticks.count }

    /// A tick that is not finished. The getter is not a `_read` accessor, because Swift 6.3, in an unoptimized build,
    /// frees the coroutine's frame before it copies a large member out of the frame. An optimized build does not make
    /// this copy.
    subscript(id: Int) -> PendingTick {
        get { ticks[id - firstID]! }
        _modify { yield &ticks[id - firstID]! }
    }

    func contains(_ id: Int) -> Bool {
        id >= firstID && ticks[id - firstID] != nil
    }

    mutating func append(_ tick: PendingTick) -> Int {
        let id = ids.upperBound
        named[Name(number: tick.tick.number, subject: tick.subject), default: []].append(id)
        while tick.subject >= subjects.count { subjects.append(OfSubject(lastUnanswered: id)) }
        ticks.append(tick)
        if subjects[tick.subject].firstUnanswered == nil {
            subjects[tick.subject].firstUnanswered = id
        } else {
            self[subjects[tick.subject].lastUnanswered].nextUnanswered = id
        }
        subjects[tick.subject].lastUnanswered = id
        subjects[tick.subject].count += 1
        unansweredCount += 1
        return id
    }

    /// The id of the subject's oldest tick that the reading answers and that still awaits an answer from the source;
    /// nil if there is none.
    func first(answeredBy reading: Reading, on subject: Int, from source: Int) -> Int? {
        named[Name(number: reading.tick, subject: subject)]?.first {
            self[$0].isAnswered(by: reading) && self[$0].awaits(source)
        }
    }

    func hasTicks(of subject: Int) -> Bool {
        subject < subjects.count && subjects[subject].count > 0
    }

    /// The id of the oldest unanswered tick of a subject; nil if all ticks of the subject are answered.
    func firstUnanswered(of subject: Int) -> Int? {
        subject < subjects.count ? subjects[subject].firstUnanswered : nil
    }

    /// Whether a source may still answer a tick with the given number. Only the newest unfinished tick with that
    /// number is checked, because it is usually the last to time out.
    func awaits(_ source: Int, in number: Int?) -> Bool {
        let newest = ids.reversed().first { contains($0) && self[$0].tick.number == number }
        return newest.map { self[$0].awaits(source) } ?? false
    }

    /// The ids of the ticks that have reached a time limit since the last call, grouped by limit. A limit that no
    /// longer matters for a tick (see `PendingTick.needs`) is ignored.
    mutating func takeDue(at now: Deadline.Instant) -> [Int] {
        var due: [Int] = []
        for index in queues.indices {
            while let (id, deadline) = next(in: index), deadline.hasPassed(at: now) {
                due.append(id)
                queues[index].nextID = id + 1
            }
        }
        return due
    }

    /// The nearest deadline that still matters for a tick; nil if there is none.
    var nextDeadline: Deadline? {
        mutating get {
            var nearest: Deadline?
            for index in queues.indices {
                guard let (_, deadline) = next(in: index) else { continue }
                nearest = min(nearest ?? deadline, deadline)
            }
            return nearest
        }
    }

    /// The id of the next tick in a queue for which the queue's limit still matters, and the time when the tick reaches
    /// that limit; nil if no such tick is left.
    ///
    /// - Parameter index: the index of the queue.
    private mutating func next(in index: Int) -> (id: Int, deadline: Deadline)? {
        let (limit, hasCandles) = (queues[index].limit, queues[index].hasCandles)
        var id = max(queues[index].nextID, ids.lowerBound)
        while id < ids.upperBound,
            !(contains(id) && (ticks[id - firstID]!.tick.candle != nil) == hasCandles
                && self[id].needs(limit))
        { id += 1 }
        queues[index].nextID = id
        return id < ids.upperBound ? (id, self[id].deadline(limit)) : nil
    }

    /// Records that a tick was answered. The tick must be the oldest unanswered tick of its subject.
    mutating func recordAnswered(_ id: Int) {
        self[id].isAnswered = true
        subjects[self[id].subject].firstUnanswered = self[id].nextUnanswered
        unansweredCount -= 1
        removeIfFinished(id)
    }

    mutating func removeIfFinished(_ id: Int) {
        guard contains(id), self[id].isFinished else { return }
        let name = Name(number: self[id].tick.number, subject: self[id].subject)
        if named[name]?.count == 1 { named[name] = nil } else { named[name]?.removeAll { $0 == id } }
        subjects[name.subject].count -= 1
        ticks[id - firstID] = nil
        while finished < ticks.count, ticks[finished] == nil { finished += 1 }
        // Finished ticks are removed in bulk, because each removal moves all other ticks.
        if finished * 2 > ticks.count {
            ticks.removeFirst(finished)
            (firstID, finished) = (firstID + finished, 0)
        }
    }

    mutating func postponeDeadlines(by gap: Duration) {
        for id in ids where contains(id) { self[id].postponeDeadlines(by: gap) }
    }
}
