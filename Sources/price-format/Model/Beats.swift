import PipeCommon

/// Counts beats, and measures how long they are apart. Ticks for the same moment are one beat, also where the answers to
/// two beats overlap. Pure.
struct Beats {
    /// A beat that is older than the latest one by more than this, in milliseconds, is not a late answer: the wall clock
    /// was set back, or another recording begins.
    static let longestDelay = 10_000

    private(set) var count = 0
    /// When the latest beat was due.
    private(set) var at: Timestamp?
    /// The shorter one of the last two intervals, in milliseconds: after a pause there is a long one. nil until there
    /// are two beats.
    private(set) var interval: Int?
    private var lastStep: Int?
    private var tick: Int?
    private var answered: Set<Symbol> = []

    mutating func record(_ reading: Reading) {
        if count == 0 || isNew(reading) { begin(with: reading) }
        answered.insert(reading.pricedSymbol)
    }

    private func isNew(_ reading: Reading) -> Bool {
        if let at, let next = reading.at {
            return next > at || at.milliseconds - next.milliseconds > Self.longestDelay
        }
        if at != nil || reading.at != nil || reading.tick != tick { return true }
        return answered.contains(reading.pricedSymbol)
    }

    private mutating func begin(with reading: Reading) {
        count += 1
        if let at, let next = reading.at, next > at {
            let step = next.milliseconds - at.milliseconds
            (interval, lastStep) = (min(lastStep ?? step, step), step)
        }
        (at, tick, answered) = (reading.at, reading.tick, [])
    }
}
