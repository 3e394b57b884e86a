import PipeCommon

/// The symbols of a board: readings, keys and time go in, rows come out. Pure.
///
/// This file takes in the readings. `BoardList` has what a person has chosen to see of them and the order of the rows,
/// `BoardKeys` what the keys do, and `Liveness` how current the prices are.
struct Board {
    /// In the order in which the symbols appeared.
    private(set) var rows: [BoardRow] = []
    private(set) var places: [Symbol: Int] = [:]
    private(set) var beats = Beats()
    private var pace = Pace()
    /// Whether the input is known to be a recording: it is a file.
    var isRecording = false
    private var closes: [Symbol: DayCloses] = [:]
    /// Whether a candle of a day has arrived, so that changes of today can be known, and whether one was asked for at all.
    private(set) var hasCandles = false
    private var asksForCandles = false
    /// Since when the last close of a symbol is missing, or when it was last asked for again.
    private var missingCloses: [Symbol: Deadline.Instant] = [:]
    private var lastCheckOfCloses: Deadline.Instant?
    /// What a person has chosen.
    var choice = BoardChoice()
    /// The places in `rows`, as they are listed. They are brought up to date once per frame.
    var list: [Int] = []
    /// Whether no reading has arrived since then.
    var isArranged = true
    /// Names and descriptions of symbols.
    var names = SymbolNames()
    /// Whether there is a clock that can be stopped.
    var hasClock = false
    /// When the clock was stopped, so that no tick is to be expected. What is shown stays as it was then.
    private(set) var stopped: Moment?
    /// When it went on after that.
    private(set) var resumed: Deadline.Instant?

    mutating func record(_ reading: Reading, at moment: Moment = .now) {
        let symbol = reading.pricedSymbol
        if reading.candle == .day {
            if reading.quote != nil { hasCandles = true }
            asksForCandles = true
            closes[symbol, default: DayCloses()].record(reading)
        }
        // The price of a candle is not the price now.
        guard reading.candle == nil else { return }
        let isNewBeat = beats.record(reading) == .new
        if isNewBeat { pace.beginBeat(due: reading.at, at: moment.instant) }
        isArranged = false
        if reading.isFresh { closes[symbol, default: DayCloses()].record(reading) }
        let (beat, arrival, now) = (beats.count, moment.instant, now(moment))
        if let place = places[symbol] {
            rows[place].record(reading, beat: beat, arrival: arrival, now: now)
        } else {
            places[symbol] = rows.count
            rows.append(BoardRow(reading, beat: beat, arrival: arrival, now: now))
        }
        select(appearing: symbol)
        if isNewBeat { removeGone() }
    }

    private mutating func removeGone() {
        let gone = beats.takeGone()
        if gone.isEmpty { return }
        rows.removeAll { gone.contains($0.symbol) }
        for symbol in gone { places[symbol] = nil }
        for (place, row) in rows.enumerated() { places[row.symbol] = place }
    }

    /// The details are those of the first symbol if none was chosen. A link may name one in small letters.
    private mutating func select(appearing symbol: Symbol) {
        guard let selected = choice.selected else {
            if choice.page == .details { choice.selected = symbol }
            return
        }
        guard selected != symbol, places[selected] == nil else { return }
        if selected.text.lowercased() == symbol.text.lowercased() { choice.selected = symbol }
    }

    func row(of symbol: Symbol) -> BoardRow? { places[symbol].map { rows[$0] } }

    /// The change against the close of the day before, in hundredths of a percent; nil if it is not known.
    func today(_ row: BoardRow) -> Int? {
        hasCandles && row.isFresh ? closes[row.symbol]?.today(row.reading) : nil
    }

    /// The symbols that have a price, but no close of the day before: those whose close is to be asked for again, because it
    /// has not come for a minute. The clock asks once, when the symbol is new and after midnight.
    mutating func takeMissingCloses(at moment: Moment) -> [Symbol] {
        guard asksForCandles, !isStopped, isLive else { return [] }
        if let lastCheckOfCloses, moment.instant < lastCheckOfCloses + .seconds(1) { return [] }
        lastCheckOfCloses = moment.instant
        let now = now(moment)
        return rows.map(\.symbol).filter { symbol in
            guard row(of: symbol)?.isFresh == true, closes[symbol]?.isKnown(before: now) != true else {
                missingCloses[symbol] = nil
                return false
            }
            let since = missingCloses[symbol]
            let isDue = since.map { moment.instant >= $0 + .seconds(60) } ?? false
            if since == nil || isDue { missingCloses[symbol] = moment.instant }
            return isDue
        }
    }

    /// Whether any price is made up.
    var isMadeUp: Bool { rows.contains(where: \.isMadeUp) }

    /// After how long the board looks different although nothing has happened: an age has changed, or a price has flashed.
    func nextChange(after moment: Moment) -> Duration {
        let second = Duration.milliseconds(1000 - moment.wall.milliseconds % 1000)
        let flashes = rows.lazy.compactMap(\.flashEnd).filter { $0 > moment.instant }
        return flashes.map { $0 - moment.instant }.reduce(second, min)
    }

    /// Whether readings arrive as they are made.
    var isLive: Bool { pace.isLive && !isRecording }

    /// The time by the clock that the beats go by, which may be that of another machine; in a recording, that of the last
    /// beat.
    func now(_ moment: Moment) -> Timestamp {
        let moment = stopped ?? moment
        return (isLive ? pace.time(at: moment.instant) : beats.at) ?? moment.wall
    }

    /// How old the last quote of a row is: in a live stream, since when it arrived. Nil without a quote.
    func age(of row: BoardRow, at moment: Moment) -> Age? {
        guard let quote = row.quoted?.quote else { return nil }
        guard isLive else { return Age(since: quote.timestamp, at: now(moment)) }
        let instant = (stopped ?? moment).instant
        return Age(milliseconds: row.quotedAge + (instant - row.quotedAt).milliseconds)
    }

    /// Whether the clock is stopped.
    var isStopped: Bool { stopped != nil }

    mutating func toggleClock(at moment: Moment = .now) {
        (stopped, resumed) = isStopped ? (nil, moment.instant) : (moment, nil)
    }
}
