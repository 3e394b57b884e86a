import PipeCommon

/// The ticks that are not finished, oldest first. An event concerns a few of them, which are found without looking at
/// the others, so that thousands of symbols cost no more than a few of them do, each. Pure.
struct PendingTicks {
    private struct Name: Hashable {
        let number: Int?
        let subject: Subject
    }

    private var ticks: [PendingTick?] = []
    /// The id of the first element of `ticks`, and the number of those at its beginning that are finished.
    private var (firstID, finished) = (0, 0)
    private var named: [Name: [Int]] = [:]
    /// For each number the newest tick, which is the last one to run out of time.
    private var newest: [Int?: Int] = [:]
    /// For each subject the ticks without an answer.
    private var waiting: [Subject: [Int]] = [:]
    /// The time limits of a tick in ascending order, and the next tick that reaches each of them.
    private let limits: [TimeLimits.Kind] = TimeLimits.Kind.allCases
    private var next = TimeLimits.Kind.allCases.map { _ in 0 }
    /// The number of ticks without an answer.
    private(set) var unansweredCount = 0

    var ids: Range<Int> { firstID + finished..<firstID + ticks.count }

    /// A tick that is not finished.
    subscript(id: Int) -> PendingTick {
        _read { yield ticks[id - firstID]! }
        _modify { yield &ticks[id - firstID]! }
    }

    func contains(_ id: Int) -> Bool {
        id >= firstID + finished && ticks[id - firstID] != nil
    }

    mutating func append(_ tick: PendingTick) -> Int {
        let id = ids.upperBound
        ticks.append(tick)
        named[name(of: tick), default: []].append(id)
        newest[tick.tick.number] = id
        waiting[tick.subject, default: []].append(id)
        unansweredCount += 1
        return id
    }

    /// The oldest tick that a reading answers, if its source is awaited there.
    func first(answeredBy reading: Reading, from source: Int) -> Int? {
        named[Name(number: reading.tick, subject: reading.subject)]?.first {
            self[$0].isAnswered(by: reading) && self[$0].awaits(source)
        }
    }

    /// The oldest tick of a subject that has no answer.
    func firstUnanswered(of subject: Subject) -> Int? {
        waiting[subject]?.first
    }

    /// Whether a source may still answer a tick with this number.
    func awaits(_ source: Int, in number: Int?) -> Bool {
        newest[number].map { self[$0].awaits(source) } ?? false
    }

    /// The ticks that have reached one of their time limits since the last call, oldest first.
    mutating func takeDue(at now: Deadline.Instant) -> [Int] {
        var due: [Int] = []
        for (place, limit) in limits.enumerated() {
            while let id = skip(to: limit, at: place), self[id].deadline(limit).hasPassed(at: now) {
                due.append(id)
                next[place] = id + 1
            }
        }
        return due
    }

    /// The next time limit of any tick.
    var nextDeadline: Deadline? {
        mutating get {
            var deadlines: [Deadline] = []
            for (place, limit) in limits.enumerated() {
                if let id = skip(to: limit, at: place) { deadlines.append(self[id].deadline(limit)) }
            }
            return deadlines.min()
        }
    }

    /// The next tick for which a limit matters.
    private mutating func skip(to limit: TimeLimits.Kind, at place: Int) -> Int? {
        next[place] = max(next[place], ids.lowerBound)
        while next[place] < ids.upperBound {
            if contains(next[place]), self[next[place]].needs(limit) { return next[place] }
            next[place] += 1
        }
        return nil
    }

    /// The readings of the ticks of a subject that are decided, as long as none before them is undecided.
    mutating func takeReadings(of subject: Subject) -> [Reading] {
        var readings: [Reading] = []
        while let id = waiting[subject]?.first, let reading = self[id].takeReading() {
            waiting[subject]?.removeFirst()
            readings.append(reading)
            removeIfFinished(id)
        }
        unansweredCount -= readings.count
        return readings
    }

    mutating func removeIfFinished(_ id: Int) {
        guard contains(id), self[id].isFinished else { return }
        let name = name(of: self[id])
        named[name]?.removeAll { $0 == id }
        if named[name]?.isEmpty == true { named[name] = nil }
        if newest[name.number] == id { newest[name.number] = nil }
        ticks[id - firstID] = nil
        while finished < ticks.count, ticks[finished] == nil { finished += 1 }
        // Not one by one, which would move all others each time.
        if finished * 2 > ticks.count {
            ticks.removeFirst(finished)
            (firstID, finished) = (firstID + finished, 0)
        }
    }

    mutating func postponeDeadlines(by gap: Duration) {
        for id in ids where contains(id) { self[id].postponeDeadlines(by: gap) }
    }

    private func name(of tick: PendingTick) -> Name {
        Name(number: tick.tick.number, subject: tick.subject)
    }
}
