import PipeCommon

/// Gathers the readings of a tick, which are shown side by side in one line. A line is due when every symbol of the tick
/// before has answered; otherwise when the next tick begins, or a second after the first answer. It is not
/// known how many answers the first tick will have: its line is due when none has arrived for 100 ms. Pure.
struct BarTicks {
    private static let patience = Duration.seconds(1)
    private static let firstPatience = Duration.milliseconds(100)

    /// One line for a status bar.
    struct Line: Equatable {
        var readings: [Reading]
        /// Whether there is more than one symbol, so that each has to be named.
        var areNamed: Bool
    }

    private struct Tick: Equatable {
        let number: Int?
        let at: Timestamp?

        init(_ reading: Reading) {
            (number, at) = (reading.tick, reading.at)
        }

        /// Whether an answer to this tick is late after one to another tick. Otherwise an earlier time means that the wall
        /// clock was set back, or that another recording begins.
        func isBefore(_ other: Tick) -> Bool {
            guard let at, let end = other.at, at < end, end <= at + .milliseconds(Beats.longestDelay) else {
                return false
            }
            guard let number, let last = other.number else { return true }
            return number < last
        }
    }

    /// All symbols, in the order in which they appeared.
    private var symbols: [Symbol] = []
    /// The tick whose answers are gathered; nil between two ticks.
    private var tick: Tick?
    private var answers: [Symbol: Reading] = [:]
    private var end: Deadline?
    /// The tick before, and the symbols that have answered it; nil before the second tick.
    private var former: (tick: Tick, symbols: Set<Symbol>)?
    /// Answers to a tick whose line was written already: they are in the next line unless there is a newer one.
    private var late: [Symbol: Reading] = [:]

    private var shown: Set<Symbol> = []

    /// When a line is due at the latest.
    var deadline: Deadline? {
        tick == nil ? nil : end
    }

    /// - Returns: the lines that are due, at most two.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [Line] {
        // The price of a candle is not the price now.
        guard reading.candle == nil else { return [] }
        let symbol = reading.pricedSymbol
        if !symbols.contains(symbol) { symbols.append(symbol) }
        if isLate(reading) {
            late[symbol] = reading
            former?.symbols.insert(symbol)
            return []
        }
        var lines: [Line] = []
        if tick != nil, tick != Tick(reading) || answers[symbol] != nil { lines = [line()] }
        if tick == nil { end = Deadline(in: former == nil ? Self.firstPatience : Self.patience, from: now) }
        if former == nil { end = Deadline(in: Self.firstPatience, from: now) }
        tick = Tick(reading)
        answers[symbol] = reading
        if let former, former.symbols.isSubset(of: answers.keys) { lines.append(line()) }
        return lines
    }

    private func isLate(_ reading: Reading) -> Bool {
        if let newest = tick ?? former?.tick, Tick(reading).isBefore(newest) { return true }
        guard tick != Tick(reading), let former, former.tick == Tick(reading) else { return false }
        return reading.tick != nil && !former.symbols.contains(reading.pricedSymbol)
    }

    mutating func expire(at now: Deadline.Instant) -> Line? {
        deadline.map { $0.hasPassed(at: now) } ?? false ? line() : nil
    }

    /// - Returns: what is left at the end of the input: an answer that came late only if its symbol was never shown.
    mutating func finish() -> Line? {
        tick == nil && shown.isSuperset(of: late.keys) ? nil : line()
    }

    private mutating func line() -> Line {
        defer {
            let symbols = Set(answers.keys).union(late.keys)
            shown.formUnion(symbols)
            if let tick { former = (tick, symbols) }
            (tick, answers, late, end) = (nil, [:], [:], nil)
        }
        return Line(readings: symbols.compactMap { answers[$0] ?? late[$0] }, areNamed: symbols.count > 1)
    }
}
