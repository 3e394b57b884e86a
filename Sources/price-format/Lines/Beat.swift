import PipeCommon

/// The readings of one beat, or of the candles that have the same length and begin at the same time.
struct Beat: Equatable {
    /// When the beat was due, or when the candles begin.
    let at: Timestamp?
    let tick: Int?
    let candle: Candle?
    var readings: [Symbol: Reading]

    init(_ reading: Reading) {
        (at, tick, candle) = (reading.at, reading.tick, reading.candle)
        readings = [reading.pricedSymbol: reading]
    }

    /// Whether a reading belongs to this beat. Candles that begin at the same time may have different tick numbers.
    func includes(_ reading: Reading) -> Bool {
        candle == reading.candle && at == reading.at && (candle != nil || tick == reading.tick)
    }

    func isLater(than other: Beat) -> Bool {
        guard let at, let time = other.at else { return false }
        return at > time
    }
}

/// Distinguishes beats, measures the interval between them, and notices which symbols are no longer requested. Pure.
struct Beats {
    /// The beat that a reading belongs to.
    enum Place {
        /// A new beat, which begins with the reading.
        case new
        case latest
        case earlier
    }

    /// A reading that is more than this many milliseconds older than the latest beat does not count as a late answer:
    /// the wall clock was probably set back, or another recording begins.
    private static let longestDelay = 10_000
    /// A symbol counts as no longer requested if more than `beats` beats have begun since its last reading. If the
    /// times of the beats are known, at least two intervals between beats plus `milliseconds` (the default budget of a
    /// tick) must also lie between the latest beat and the beat that was the latest when that reading arrived.
    private static let missed = (beats: 3, milliseconds: 1000)

    /// All symbols that count as requested, in the order in which they appeared.
    private(set) var symbols: [Symbol] = []
    private(set) var count = 0
    /// When the latest beat was due.
    private(set) var at: Timestamp?
    /// The shorter of the last two intervals in milliseconds, because a pause makes one interval too long. Nil until a
    /// beat is due later than the beat before it.
    private(set) var interval: Int?
    private var lastStep: Int?
    private var tick: Int?
    /// For each symbol, the latest beat at the time when the symbol's last reading arrived: the number of the beat, its
    /// due time, and whether it has an answer for the symbol.
    private var seen: [Symbol: (beat: Int, at: Timestamp?, isOfBeat: Bool)] = [:]

    @discardableResult mutating func record(_ reading: Reading) -> Place {
        let place = place(of: reading)
        if place == .new { begin(with: reading) }
        let symbol = reading.pricedSymbol
        let isOfBeat = place != .earlier || hasAnswered(symbol)
        if seen.updateValue((count, at, isOfBeat), forKey: symbol) == nil { symbols.append(symbol) }
        return place
    }

    private func place(of reading: Reading) -> Place {
        if count == 0 { return .new }
        if reading.at == at, reading.tick == tick {
            // A second answer for a symbol begins a new beat, because readings may have neither tick numbers nor times.
            return hasAnswered(reading.pricedSymbol) ? .new : .latest
        }
        guard let at, let time = reading.at, time < at,
            at.milliseconds - time.milliseconds <= Self.longestDelay
        else { return .new }
        guard let tick, let number = reading.tick else { return .earlier }
        return number <= tick ? .earlier : .new
    }

    /// Whether the latest beat already has an answer for a symbol.
    private func hasAnswered(_ symbol: Symbol) -> Bool {
        seen[symbol].map { $0.beat == count && $0.isOfBeat } ?? false
    }

    private mutating func begin(with reading: Reading) {
        count += 1
        if let at, let next = reading.at, next > at {
            let step = next.milliseconds - at.milliseconds
            (interval, lastStep) = (min(lastStep ?? step, step), step)
        }
        (at, tick) = (reading.at, reading.tick)
    }

    /// - Returns: the symbols that are no longer requested, which are then forgotten.
    mutating func takeGone() -> Set<Symbol> {
        let gone = Set(seen.filter { isGone($1) }.keys)
        for symbol in gone { seen[symbol] = nil }
        if !gone.isEmpty { symbols.removeAll(where: gone.contains) }
        return gone
    }

    private func isGone(_ last: (beat: Int, at: Timestamp?, isOfBeat: Bool)) -> Bool {
        if count - last.beat <= Self.missed.beats { return false }
        guard let at, let time = last.at else { return true }
        let limit = Self.missed.milliseconds + 2 * (interval ?? 0)
        return abs(at.milliseconds - time.milliseconds) >= limit
    }
}

/// Gathers the readings of each beat and returns the beats that have ended, in order. A beat ends:
///
/// - when no further answer is expected: each symbol that was known at the beginning of the beat has an answer for this
///   beat or a later beat, or is no longer requested;
/// - when the time limit passes: one interval between beats after the beat's first reading arrived, but at least one
///   second and at most ten seconds;
/// - when the latest beat was due later than this beat by at least this time limit, as in a recording;
/// - when a beat begins that is not known to be later than the beat before it;
/// - when `takeDue` is called without a time, for example at the end of the input.
///
/// The number of symbols is not known at first. Unless `takeDue` is called without a time, the first beat therefore
/// ends when the time `firstPatience` has passed since its last answer, or when the second beat begins. Pure.
struct BeatGatherer {
    private struct Open {
        var beat: Beat
        var missing: Set<Symbol>
        var end: Deadline
    }

    /// The lowest and the highest time limit of any beat except the first, in milliseconds.
    private static let patience = 1000...10_000

    private var beats = Beats()
    private var open: [Open] = []
    private var isFirst = true
    private let firstPatience: Duration

    /// - Parameter firstPatience: how long the first beat waits for the reading of another symbol.
    init(firstPatience: Duration) {
        self.firstPatience = firstPatience
    }

    /// All symbols that count as requested, in the order in which they appeared.
    var symbols: [Symbol] { beats.symbols }

    /// When the next beat ends even if readings are missing; nil if no beat is open.
    var deadline: Deadline? { open.first?.end }

    private var patience: Int {
        let interval = beats.interval ?? Self.patience.lowerBound
        return min(max(interval, Self.patience.lowerBound), Self.patience.upperBound)
    }

    /// - Returns: the beats that are due; nil if the reading is too late because its beat is not open.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [Beat]? {
        let former = beats.at
        var due: [Beat] = []
        if beats.record(reading) == .new {
            // If the new beat is not known to be later than the latest beat, for example because the wall clock was set
            // back, no more answers for the earlier beats are expected.
            let isInOrder = former.flatMap { former in reading.at.map { former < $0 } } ?? false
            if !isInOrder { due = takeDue(at: nil) }
            let gone = beats.takeGone()
            if !gone.isEmpty { for index in open.indices { open[index].missing.subtract(gone) } }
            let limit = isFirst && open.isEmpty ? firstPatience : .milliseconds(patience)
            let end = Deadline(in: limit, from: now)
            open.append(Open(beat: Beat(reading), missing: Set(symbols), end: end))
        }
        guard let index = open.lastIndex(where: { $0.beat.includes(reading) }) else { return nil }
        open[index].beat.readings[reading.pricedSymbol] = reading
        for earlier in 0...index { open[earlier].missing.remove(reading.pricedSymbol) }
        if isFirst, open.count == 1 { open[index].end = Deadline(in: firstPatience, from: now) }
        return due + takeDue(at: now)
    }

    /// - Parameter now: nil to end all beats, for example at the end of the input.
    /// - Returns: the beats that are complete or have waited long enough; if `now` is nil, all remaining beats.
    mutating func takeDue(at now: Deadline.Instant?) -> [Beat] {
        var count = 0
        while count < open.count, isDue(open[count], isLast: count == open.count - 1, now) {
            (count, isFirst) = (count + 1, false)
        }
        defer { open.removeFirst(count) }
        return open.prefix(count).map(\.beat)
    }

    private func isDue(_ open: Open, isLast: Bool, _ now: Deadline.Instant?) -> Bool {
        guard let now, !open.end.hasPassed(at: now) else { return true }
        if open.missing.isEmpty, !(isFirst && isLast) { return true }
        // In a recording, only the due times of the beats show how much time has passed.
        guard let time = open.beat.at, let newest = beats.at else { return false }
        return newest.milliseconds - time.milliseconds >= patience
    }
}
