import PipeCommon

/// The readings of one beat, or of the candles that begin at the same time.
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

/// Tells beats apart, measures the interval between them, and notices which symbols are no longer requested. Pure.
struct Beats {
    /// The beat that a reading belongs to.
    enum Place {
        /// A new beat, which the reading begins.
        case new
        case latest
        case earlier
    }

    /// A reading whose beat is more than this many milliseconds older than the latest one is not a late answer: the
    /// wall clock was set back, or another recording begins.
    private static let longestDelay = 10_000
    /// A symbol is no longer requested if only others have had readings for more than this many beats, and for this
    /// many milliseconds (the budget of a tick) plus two intervals.
    private static let missed = (beats: 3, milliseconds: 1000)

    /// All symbols that are requested, in the order in which they appeared.
    private(set) var symbols: [Symbol] = []
    private(set) var count = 0
    /// When the latest beat was due.
    private(set) var at: Timestamp?
    /// The shorter of the last two intervals in milliseconds, since a pause makes one of them long. Nil before the
    /// second beat.
    private(set) var interval: Int?
    private var lastStep: Int?
    private var tick: Int?
    /// For each symbol, the beat that was the latest when its last reading arrived.
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
            // Without numbers and times, a second answer of a symbol begins a new beat.
            return hasAnswered(reading.pricedSymbol) ? .new : .latest
        }
        guard let at, let time = reading.at, time < at,
            at.milliseconds - time.milliseconds <= Self.longestDelay
        else { return .new }
        guard let tick, let number = reading.tick else { return .earlier }
        return number <= tick ? .earlier : .new
    }

    /// Whether a symbol has answered the latest beat.
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

    /// - Returns: the symbols that are no longer requested; they are forgotten.
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
