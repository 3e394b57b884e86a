import PipeCommon

/// The lines of a status bar: one per beat, with every symbol. Pure.
struct BarLines {
    struct Line: Equatable {
        /// When the beat was due.
        var at: Timestamp?
        /// In the order in which the symbols appeared. The last reading of a symbol that has not answered the beat has the
        /// error flag.
        var readings: [Reading]
        /// Whether there is more than one symbol, so that each has to be named.
        var areNamed: Bool
    }

    private var gatherer = BeatGatherer(firstPatience: .milliseconds(100))
    private var latest: [Symbol: Reading] = [:]
    /// Whether a symbol has appeared since the last line.
    private var hasNewSymbol = false

    /// When a line is due at the latest.
    var deadline: Deadline? { gatherer.deadline }

    /// - Returns: the lines that are due.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [Line] {
        // The price of a candle is not the price now.
        guard reading.candle == nil else { return [] }
        if latest.updateValue(reading, forKey: reading.pricedSymbol) == nil { hasNewSymbol = true }
        return lines(of: gatherer.record(reading, at: now) ?? [])
    }

    mutating func expire(at now: Deadline.Instant) -> [Line] {
        lines(of: gatherer.takeDue(at: now))
    }

    /// - Returns: what is left at the end of the input: an answer that came late only if its symbol was never shown.
    mutating func finish() -> [Line] {
        let rest = lines(of: gatherer.finish())
        return hasNewSymbol ? rest + [line(at: nil) { latest[$0] }] : rest
    }

    private mutating func lines(of beats: [Beat]) -> [Line] {
        if !beats.isEmpty { hasNewSymbol = false }
        return beats.map { beat in
            line(at: beat.at) { symbol in
                if let reading = beat.readings[symbol] { return reading }
                var last = latest[symbol]
                last?.error = true
                return last
            }
        }
    }

    private func line(at time: Timestamp?, _ reading: (Symbol) -> Reading?) -> Line {
        let readings = gatherer.symbols.compactMap(reading)
        return Line(at: time, readings: readings, areNamed: readings.count > 1)
    }
}
