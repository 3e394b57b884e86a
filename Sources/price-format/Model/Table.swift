import PipeCommon

/// Gathers readings into the lines of a table. The readings of one beat share a line, and so do those of the candles that
/// begin at the same time. Pure.
///
/// A line is complete when each known symbol has answered, or when the next beat has begun. Candles are answered symbol by
/// symbol, so their lines wait for the end of the burst, and are then put in the order of time.
struct Table {
    /// How long a line is kept open after its last reading. Of several symbols, the exchanges may answer one much later.
    private static let patience = (beat: Duration.seconds(1), burst: Duration.seconds(10))
    /// The maximum number of lines that are kept open.
    private static let mostOpen = 2000

    /// In the order in which they first appeared: the columns.
    private(set) var symbols: [Symbol] = []
    /// Whether any line had a quote.
    var hasQuotes: Bool { !newest.isEmpty }
    /// The last line that is complete, and that of beats and of each length of candles.
    private var last: TableLine?
    private var lastOfKind: [Candle?: TableLine] = [:]
    /// The last quote of each symbol.
    private var newest: [Symbol: Reading] = [:]
    /// The lines that are not complete.
    private var open: [TableLine] = []
    private var hasBase = false

    /// How long to wait for the next reading before `finish` is called; nil when no line is open.
    var patience: Duration? {
        open.last.map { $0.candle == nil ? Self.patience.beat : Self.patience.burst }
    }

    /// - Returns: the lines that are complete now.
    mutating func record(_ reading: Reading) -> [TableLine] {
        let line = TableLine(reading)
        let isNew = !symbols.contains(reading.pricedSymbol)
        if isNew { symbols.append(reading.pricedSymbol) }
        // A late answer has a line of its own.
        if isLate(line) { return [line] }
        let complete = open.last.map { $0.isBeside(line) } ?? true ? [] : finish()
        insert(reading, line)
        let isComplete = reading.candle == nil && !isNew && open.last?.readings.count == symbols.count
        return complete + (isComplete || open.count > Self.mostOpen ? finish() : [])
    }

    /// Completes the open lines: at the end of the input, or when nothing has arrived for a while.
    ///
    /// - Returns: these lines, but not the first one of candles, with which the next one is compared.
    mutating func finish() -> [TableLine] {
        defer { open = [] }
        var complete: [TableLine] = []
        for var line in open {
            line.compare(with: lastOfKind[line.candle])
            (last, lastOfKind[line.candle]) = (line, line)
            for (symbol, reading) in line.readings where reading.quote != nil { newest[symbol] = reading }
            complete.append(line)
        }
        let isBase = !hasBase && complete.count > 1 && complete[0].candle != nil
        hasBase = hasBase || !complete.isEmpty
        return Array(complete.dropFirst(isBase ? 1 : 0))
    }

    /// From when the prices are: the time of the oldest of the last quotes. Nil without a quote.
    var time: Timestamp? { newest.values.compactMap { $0.quote?.timestamp }.min() }

    /// Whether the last line lacks a price, or has one that is stale or old.
    func isOutOfDate(at now: Timestamp) -> Bool {
        symbols.contains { last?.readings[$0]?.isOutOfDate(at: now) ?? true }
    }

    private func isLate(_ line: TableLine) -> Bool {
        guard line.candle == nil, let newest = open.last ?? last else { return false }
        return newest.isLater(than: line) || open.isEmpty && newest.isSame(as: line)
    }

    private mutating func insert(_ reading: Reading, _ line: TableLine) {
        // Candles of several symbols arrive side by side or one after the other.
        let place = place(of: line)
        if place < open.endIndex, open[place].isSame(as: line) {
            open[place].readings[reading.pricedSymbol] = reading
        } else {
            open.insert(line, at: place)
        }
    }

    /// The first place whose line is not earlier.
    private func place(of line: TableLine) -> Int {
        if let last = open.last, line.isLater(than: last) { return open.endIndex }
        var (low, high) = (0, open.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if line.isLater(than: open[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
