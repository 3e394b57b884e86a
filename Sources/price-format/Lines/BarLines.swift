import PipeCommon

/// Prints each beat from `BeatGatherer` as a short line for a status bar, with all symbols that count as requested.
/// Stale and disputed prices are marked with words.
struct BarLines: LineStyle {
    struct Line: Equatable {
        /// When the beat was due.
        var at: Timestamp?
        /// One reading per symbol, in the order in which the symbols appeared. In the line of a beat, a symbol without
        /// an answer for this beat is represented by its latest reading, with the error flag set.
        var readings: [Reading]
    }

    private let wording: Wording
    private let holdings: Holdings
    private var gatherer = BeatGatherer(firstPatience: .milliseconds(100))
    private var latest: [Symbol: Reading] = [:]
    /// Whether a new symbol has appeared since the last line.
    private var hasNewSymbol = false

    init(_ wording: Wording, _ holdings: Holdings = Holdings()) {
        (self.wording, self.holdings) = (wording, holdings)
    }

    let status = ExitStatus.done
    var deadline: Deadline? { gatherer.deadline }

    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter)
        throws(StreamError)
    {
        for line in record(reading, at: now) { try output.add(at: line.at) { append(line, to: &$0) } }
    }

    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError) {
        for line in due(at: now) { try output.add(at: line.at) { append(line, to: &$0) } }
    }

    /// - Returns: the lines that are due.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [Line] {
        // The price of a candle is not the current price.
        guard reading.candle == nil else { return [] }
        if latest.updateValue(reading, forKey: reading.pricedSymbol) == nil { hasNewSymbol = true }
        return lines(of: gatherer.record(reading, at: now) ?? [])
    }

    /// - Parameter now: nil at the end of the input.
    /// - Returns: the lines that are due by now; at the end of the input, all remaining lines. If a new symbol is not
    ///   in any line by then because its answer was late, a last line with the latest readings follows.
    mutating func due(at now: Deadline.Instant?) -> [Line] {
        let lines = lines(of: gatherer.takeDue(at: now))
        guard now == nil, hasNewSymbol else { return lines }
        return lines + [Line(at: nil, readings: gatherer.symbols.compactMap { latest[$0] })]
    }

    private mutating func lines(of beats: [Beat]) -> [Line] {
        if !beats.isEmpty { hasNewSymbol = false }
        // To save memory, symbols that are no longer requested are forgotten when there are many of them.
        if latest.count > 2 * gatherer.symbols.count + 16 {
            let symbols = Set(gatherer.symbols)
            latest = latest.filter { symbols.contains($0.key) }
        }
        return beats.map { beat in
            let readings = gatherer.symbols.compactMap { symbol in
                if let reading = beat.readings[symbol] { return reading }
                var last = latest[symbol]
                last?.error = true
                return last
            }
            return Line(at: beat.at, readings: readings)
        }
    }

    func append(_ line: Line, to text: inout ByteBuffer) {
        for (index, reading) in line.readings.enumerated() {
            if index > 0 { text.append("  " as StaticString) }
            let isNamed = line.readings.count > 1 || reading.pricedSymbol != .bitcoin
            if isNamed { text.append("\(reading.pricedSymbol.text) ") }
            append(reading, to: &text)
        }
        if !holdings.isEmpty { appendTotals(line, to: &text) }
    }

    /// Appends the totals, such as `  total $12,345.67`, one per currency.
    private func appendTotals(_ line: Line, to text: inout ByteBuffer) {
        let totals = HoldingsTotal.all(of: holdings) { symbol in
            line.readings.first { $0.pricedSymbol == symbol }.map { ($0, !$0.isFresh || $0.isDisputed) }
        }
        for total in totals {
            text.append("  total " as StaticString)
            guard let value = total.value else {
                text.append("- (\(total.problem ?? "too large"))")
                continue
            }
            text.append(wording.money.text(amount: value, total.currency))
            if let gain = total.gain {
                text.append(" (\(wording.money.text(amount: gain, total.currency, hasSign: true)))")
            }
            if total.isStale { text.append(" (stale)" as StaticString) }
        }
    }

    private func append(_ reading: Reading, to text: inout ByteBuffer) {
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        wording.money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(wording.text(quote.timestamp, at: reading.at)))") }
        if reading.isDisputed { text.append(" (disputed)" as StaticString) }
    }
}
