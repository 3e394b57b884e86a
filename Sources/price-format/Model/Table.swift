import PipeCommon

/// Gathers readings into the lines of a table. The readings of one beat share a line, and so do those of the candles that
/// begin at the same time. Candles are answered symbol by symbol, so their lines wait for the end of the burst, and are
/// then put in the order of time. Pure.
struct Table {
    /// How long to wait for another symbol in the first beat, and for another candle.
    private static let patience = (beat: Duration.seconds(1), burst: Duration.seconds(10))
    /// The maximum number of lines of candles that are kept.
    private static let mostCandles = 2000

    /// In the order in which they first appeared: the columns.
    private(set) var symbols: [Symbol] = []
    /// Whether any line had a quote.
    var hasQuotes: Bool { !newest.isEmpty }
    /// The last line, and that of beats and of each length of candles.
    private var last: TableLine?
    private var lastOfKind: [Candle?: TableLine] = [:]
    /// The last reading of each symbol, and its last one with a quote.
    private var latest: [Symbol: Reading] = [:]
    private var newest: [Symbol: Reading] = [:]
    private var beats = BeatGatherer(firstPatience: patience.beat)
    /// The candles of the same length that have arrived one after the other.
    private var burst: [Beat] = []
    private var burstEnd: Deadline?
    private var hasBase = false

    /// When `expire` is to be called; nil when no line is open.
    var deadline: Deadline? { burstEnd ?? beats.deadline }

    /// - Returns: the lines that are complete now.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [TableLine] {
        if latest.updateValue(reading, forKey: reading.pricedSymbol) == nil {
            symbols.append(reading.pricedSymbol)
        }
        guard let candle = reading.candle else {
            let candles = finishBurst()
            if let due = beats.record(reading, at: now) { return candles + due.map { complete($0) } }
            // A late answer has a line of its own.
            keepQuotes(of: Beat(reading))
            return candles + [TableLine(Beat(reading))]
        }
        var lines = beats.finish().map { complete($0) }
        if let last = burst.last, last.candle != candle || burst.count > Self.mostCandles {
            lines += finishBurst()
        }
        insert(reading)
        burstEnd = Deadline(in: Self.patience.burst, from: now)
        return lines
    }

    /// - Returns: the lines whose time is up.
    mutating func expire(at now: Deadline.Instant) -> [TableLine] {
        if let burstEnd { return burstEnd.hasPassed(at: now) ? finishBurst() : [] }
        return beats.takeDue(at: now).map { complete($0) }
    }

    /// - Returns: the lines that are left at the end of the input.
    mutating func finish() -> [TableLine] {
        beats.finish().map { complete($0) } + finishBurst()
    }

    /// - Returns: the lines of the candles, but not the first one of all, with which the next one is compared.
    private mutating func finishBurst() -> [TableLine] {
        defer { (burst, burstEnd) = ([], nil) }
        let isBase = !hasBase && burst.count > 1
        return Array(burst.map { complete($0) }.dropFirst(isBase ? 1 : 0))
    }

    private mutating func complete(_ beat: Beat) -> TableLine {
        var line = TableLine(beat)
        line.compare(with: lastOfKind[beat.candle])
        (last, lastOfKind[beat.candle], hasBase) = (line, line, true)
        keepQuotes(of: beat)
        return line
    }

    private mutating func keepQuotes(of beat: Beat) {
        for (symbol, reading) in beat.readings where reading.quote != nil { newest[symbol] = reading }
    }

    /// From when the prices are: the time of the oldest of the last quotes. Nil without a quote.
    func time(of symbols: [Symbol]) -> Timestamp? {
        symbols.compactMap { newest[$0]?.quote?.timestamp }.min()
    }

    /// The symbols of which the last line lacks a price, or has one that is stale or old.
    func outOfDate(at now: Timestamp) -> [Symbol] {
        symbols.filter { last?.beat.readings[$0]?.isOutOfDate(at: now) ?? true }
    }

    private mutating func insert(_ reading: Reading) {
        // Candles of several symbols arrive side by side or one after the other.
        let candles = Beat(reading)
        let place = place(of: candles)
        if place < burst.endIndex, burst[place].includes(reading) {
            burst[place].readings[reading.pricedSymbol] = reading
        } else {
            burst.insert(candles, at: place)
        }
    }

    /// The first place whose candles are not earlier.
    private func place(of candles: Beat) -> Int {
        if let last = burst.last, candles.isLater(than: last) { return burst.endIndex }
        var (low, high) = (0, burst.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if candles.isLater(than: burst[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
