import PipeCommon

/// The readings of a beat, or of candles that begin at the same time, and the earlier readings with which they are
/// compared.
struct TableLine: Equatable {
    let beat: Beat
    /// The readings in the line of the previous beat (without late readings) or, for candles, in the previous line with
    /// candles of the same length. Empty if this line is not compared with another line.
    private var previous: [Symbol: Reading] = [:]

    /// - Parameter former: the previous line of the same kind. It may be for a later time, for example if candles are
    ///   requested again or if a reading is very late; the two lines are then not compared. Lines with candles for the
    ///   same time are not compared either.
    init(_ beat: Beat, after former: TableLine? = nil) {
        self.beat = beat
        if let former,
            beat.isLater(than: former.beat) || beat.candle == nil && !former.beat.isLater(than: beat)
        {
            previous = former.beat.readings
        }
    }

    /// The two prices whose difference is a symbol's change since the previous line. Nil if either price is missing or
    /// stale, if the earlier price is disputed, or if the currencies differ. In a line without candles, also nil if the
    /// sources or the markets of the two prices differ.
    func change(of symbol: Symbol, at now: Timestamp) -> (from: Price, to: Price)? {
        guard let old = previous[symbol], let new = beat.readings[symbol],
            !old.isDisputed, old.validity(at: now) != .stale, new.validity(at: now) != .stale,
            let first = old.quote, let second = new.quote, first.currency == second.currency,
            beat.candle != nil || PriceChange.areComparable(old, new)
        else { return nil }
        return (first.price, second.price)
    }

    /// The source of a symbol's price if the symbol's reading in the previous line has a different source or no source.
    /// Nil if the line shows candles, or if the symbol is missing or its price is stale in the previous line.
    func newSource(of symbol: Symbol, at now: Timestamp) -> String? {
        guard beat.candle == nil, let old = previous[symbol], let new = beat.readings[symbol],
            old.validity(at: now) != .stale, old.source != new.source
        else { return nil }
        return new.source
    }
}

/// Gathers readings into the lines of a table. The readings of one beat share a line unless they arrive after the line
/// is complete. Candles of the same length that arrive one after another form a burst; the candles of a burst that
/// begin at the same time share a line. Candles may arrive in any order, so the lines of a burst are held back until
/// the burst ends and then sorted by time. Pure.
struct Table {
    /// How long to wait for another symbol in the first beat, and for another candle in a burst.
    private static let patience = (beat: Duration.seconds(1), burst: Duration.seconds(10))
    /// If more candle lines than this are held back, the burst ends when the next candle arrives.
    private static let mostCandles = 2000

    /// The symbols of the columns, in the order in which they first appeared.
    private(set) var symbols: [Symbol] = []
    private var known: Set<Symbol> = []
    /// Whether any line that was returned contains a quote.
    var hasQuotes: Bool { !newest.isEmpty }
    /// The beat whose line was completed last, including late readings of that beat.
    private var last: Beat?
    /// For each kind of line, the line with which a later line can be compared. The kind of a line is the length of its
    /// candles, or nil if the line shows a beat.
    private var lastOfKind: [Candle?: TableLine] = [:]
    /// For each symbol, the last printed reading that contains a quote. A late reading does not replace the reading of
    /// a later beat.
    private var newest: [Symbol: Reading] = [:]
    private var beats = BeatGatherer(firstPatience: patience.beat)
    /// The candles of the current burst, by the time at which they begin. All of them have the same length.
    private var burst: [Timestamp?: Beat] = [:]
    private var burstEnd: Deadline?

    /// When the next line is printed even if readings are missing; nil if no line is open.
    var deadline: Deadline? { burstEnd ?? beats.deadline }

    /// - Returns: the lines that are now complete.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [TableLine] {
        let symbol = reading.pricedSymbol
        if known.insert(symbol).inserted { symbols.append(symbol) }
        guard let candle = reading.candle else {
            let candles = finishBurst()
            if let due = beats.record(reading, at: now) { return candles + due.map { complete($0) } }
            // A late answer gets its own line.
            if last?.includes(reading) == true { last?.readings[symbol] = reading }
            let late = Beat(reading)
            if newest[symbol].map({ Beat($0).isLater(than: late) }) != true { keepQuotes(of: late) }
            return candles + [TableLine(late)]
        }
        var lines = beats.takeDue(at: nil).map { complete($0) }
        if let other = burst.first?.value.candle, other != candle || burst.count > Self.mostCandles {
            lines += finishBurst()
        }
        burst[reading.at, default: Beat(reading)].readings[symbol] = reading
        burstEnd = Deadline(in: Self.patience.burst, from: now)
        return lines
    }

    /// - Parameter now: nil at the end of the input.
    /// - Returns: the lines that are due by now; at the end of the input, all remaining lines.
    mutating func due(at now: Deadline.Instant?) -> [TableLine] {
        let lines = beats.takeDue(at: now).map { complete($0) }
        if let now, let burstEnd, !burstEnd.hasPassed(at: now) { return lines }
        return lines + finishBurst()
    }

    /// - Returns: the lines of the candles. At the beginning of a table, the first of several lines is left out: it
    ///   is used only for comparison with the second.
    private mutating func finishBurst() -> [TableLine] {
        var candles = burst.values.sorted { $1.isLater(than: $0) }[...]
        (burst, burstEnd) = ([:], nil)
        if last == nil, candles.count > 1 { _ = follow(candles.removeFirst()) }
        return candles.map { complete($0) }
    }

    private mutating func complete(_ beat: Beat) -> TableLine {
        keepQuotes(of: beat)
        return follow(beat)
    }

    /// Returns the line of a beat and keeps it, so that the next line of the same kind can be compared with it.
    private mutating func follow(_ beat: Beat) -> TableLine {
        let line = TableLine(beat, after: lastOfKind[beat.candle])
        (last, lastOfKind[beat.candle]) = (beat, line)
        return line
    }

    private mutating func keepQuotes(of beat: Beat) {
        for (symbol, reading) in beat.readings where reading.quote != nil { newest[symbol] = reading }
    }

    /// The time of the data, which is the earliest time of the given symbols' quotes in `newest`; nil if the symbols
    /// have no quotes.
    func time(of symbols: [Symbol]) -> Timestamp? {
        symbols.compactMap { newest[$0]?.quote?.timestamp }.min()
    }

    /// The symbols whose price is missing, stale or old in `last`.
    func outOfDate(at now: Timestamp) -> [Symbol] {
        symbols.filter { last?.readings[$0]?.isOutOfDate(at: now) ?? true }
    }
}
