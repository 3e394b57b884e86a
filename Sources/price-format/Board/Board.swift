import PipeCommon

/// The state of a board: its rows, their candles and the user's choices.
///
/// The code in this file records readings and requests candles. BoardList.swift contains the user's choices and the
/// order of the rows, BoardKeys.swift handles keys, and Liveness.swift determines how current the prices are.
struct Board {
    /// The rows in the order in which their symbols appeared.
    private(set) var rows: [BoardRow] = []
    private(set) var places: [Symbol: Int] = [:]
    private(set) var beats = Beats()
    private var pace = Pace()
    /// Whether the input is a file, and therefore a recording.
    var isRecording = false
    /// Whether the latest beat was due more than a day and a half before or after its arrival. If so, the readings are
    /// treated as a recording, because a clock is rarely that wrong.
    private var isPast = false
    private static let mostAhead = 36 * Candle.hour.length.milliseconds
    /// Whether a day candle of any symbol has arrived with a quote. Until then, `today` and `day` return nil.
    private(set) var hasCandles = false
    private(set) var candles: [Symbol: CandlePrices] = [:]
    /// Whether a day candle with a quote has arrived more than three days after it began. Until then, the 31 DAYS
    /// column is not shown, because newer candles may have been requested only for today's change.
    private(set) var hasMonths = false
    /// Whether the terminal may be wide enough for the 31 DAYS column; set only if there is a clock. If true, the list
    /// needs the candles of the last 31 days.
    var wantsMonths = false
    /// Whether the list contained the DAY LOW column when it was last drawn; set only if there is a clock. If true, the
    /// list needs up-to-date open day candles.
    var wantsDays = false
    private var requests = CandleRequests()
    /// When the board last checked which day candles its rows need. The check for the chart in the details is separate.
    private var lastRequests: Deadline.Instant?
    /// The maximum number of requests for daily closes in each check; more might not fit in the pipe.
    private static let mostRequests = 100
    /// The maximum number of requests in each check that concern only a symbol's open day candle.
    private static let mostOpen = 4
    /// The user's choices.
    var choice = BoardChoice()
    /// The indices of the listed rows, in the order of the list; updated for each frame.
    var list: [Int] = []
    /// False if `list` must be updated before a key moves the selection, for example because a row has received a
    /// reading since the last update.
    var isArranged = true
    /// Names and descriptions of symbols.
    var names = SymbolNames()
    var holdings = Holdings()
    /// Whether there is a clock that can be stopped.
    var hasClock = false
    /// When the clock was stopped; nil while it runs. While it is stopped, ages in a live stream do not grow, and
    /// missing readings do not make a price stale.
    private(set) var stopped: Moment?
    /// When the clock was last started again after a stop; nil if it has not been started again yet.
    private(set) var resumed: Deadline.Instant?

    mutating func record(_ reading: Reading, at moment: Moment = .now) {
        let symbol = reading.pricedSymbol
        if reading.candle == .day {
            if let at = reading.at, reading.quote != nil {
                hasCandles = true
                if now(moment).milliseconds - at.milliseconds > 3 * Candle.day.length.milliseconds {
                    hasMonths = true
                }
            }
        }
        // The price of a candle is not the current price.
        guard reading.candle == nil else { return candles[symbol, default: CandlePrices()].record(reading) }
        let isNewBeat = beats.record(reading) == .new
        if isNewBeat {
            pace.beginBeat(due: reading.at, at: moment.instant)
            isPast =
                reading.at.map { abs(moment.wall.milliseconds - $0.milliseconds) > Self.mostAhead } ?? false
        }
        isArranged = false
        if reading.isFresh, !reading.isDisputed {
            candles[symbol, default: CandlePrices()].recordPrice(reading)
        }
        let (beat, interval, arrival, now) = (beats.count, beats.interval, moment.instant, now(moment))
        if let place = places[symbol] {
            rows[place].record(reading, beat: beat, interval: interval, arrival: arrival, now: now)
        } else {
            places[symbol] = rows.count
            rows.append(BoardRow(reading, beat: beat, interval: interval, arrival: arrival, now: now))
        }
        select(appearing: symbol)
        if isNewBeat {
            let gone = beats.takeGone()
            if !gone.isEmpty { remove(gone) }
        }
    }

    private mutating func remove(_ gone: Set<Symbol>) {
        rows.removeAll { gone.contains($0.symbol) }
        for symbol in gone { (places[symbol], candles[symbol]) = (nil, nil) }
        requests.forget(gone)
        for (place, row) in rows.enumerated() { places[row.symbol] = place }
    }

    /// Selects the given symbol if no symbol is selected and the details page is open. Also selects it if it differs
    /// only in case from a selected symbol without a row, because the value of `--open` may be in lower case.
    private mutating func select(appearing symbol: Symbol) {
        guard let selected = choice.selected else {
            if choice.page == .details { choice.selected = symbol }
            return
        }
        guard selected != symbol, places[selected] == nil else { return }
        if selected.text.lowercased() == symbol.text.lowercased() { choice.selected = symbol }
    }

    func row(of symbol: Symbol) -> BoardRow? { places[symbol].map { rows[$0] } }

    /// The change in a row's price since the close of the previous UTC day, in hundredths of a percent. Nil if that
    /// close is not known for the same source, market and currency, if `hasCandles` is false, if the price is not a new
    /// price of the current day, or if the change is too large for an `Int`.
    func today(_ row: BoardRow, at now: Timestamp) -> Int? {
        hasCandles && row.isFresh ? candles[row.symbol]?.today(row.reading, at: now) : nil
    }

    /// The range of the prices in the current UTC day so far; nil if it is not known, or if the row's price is not from
    /// this day. The caller checks that the price is new.
    func day(_ row: BoardRow, at now: Timestamp) -> CandleRange? {
        hasCandles ? candles[row.symbol]?.day(row.reading, at: now) : nil
    }

    /// The totals of the holdings, one per currency.
    func totals(at moment: Moment) -> [HoldingsTotal] {
        HoldingsTotal.all(of: holdings) { symbol in
            row(of: symbol).map { ($0.reading, isStale($0, at: moment) || $0.reading.isDisputed) }
        } close: { symbol in
            row(of: symbol).flatMap { candles[symbol]?.previousClose($0.reading, at: now(moment)) }
        }
    }

    /// Whether candles of the selected symbol are known, or the readings are live and there is a clock to request
    /// candles from.
    var hasChart: Bool { canAsk || choice.selected.flatMap { candles[$0] }?.hasCandles ?? false }

    private var canAsk: Bool { hasClock && isLive }

    /// The candle requests that are due to be sent to the clock. For example, `candles 15m 96 BTC-USD` requests the
    /// last 96 quarter-hour candles of BTC-USD.
    mutating func takeRequests(at moment: Moment) -> [String] {
        guard canAsk, !isStopped else { return [] }
        let now = now(moment)
        var texts: [String] = []
        if choice.page == .details, let row = choice.selected.flatMap(row) {
            texts += request(choice.range.candle, choice.range.count, row, now)
        }
        if let lastRequests, moment.instant < lastRequests + .seconds(1) { return texts }
        lastRequests = moment.instant
        // Today's change needs the close of the previous day. The 31 DAYS column needs the candle of each of the last
        // 31 days.
        let days = wantsMonths && choice.page == .list ? ChartRange.month.count : 2
        for row in rows where row.isFresh && texts.count < Self.mostRequests {
            texts += request(.day, days, row, now)
        }
        if wantsDays && choice.page == .list {
            var left = Self.mostOpen
            for row in rows where left > 0 && row.isFresh && requests.takeOpen(.day, of: row.symbol, at: now)
            {
                texts.append("candles 1d 1 \(row.symbol.text)")
                left -= 1
            }
        }
        return texts
    }

    private mutating func request(_ candle: Candle, _ count: Int, _ row: BoardRow, _ now: Timestamp)
        -> [String]
    {
        let count = requests.take(candle, count, of: row.symbol, in: candles[row.symbol], at: now)
        return count.map { ["candles \(candle.rawValue) \($0) \(row.symbol.text)"] } ?? []
    }

    /// Whether the latest price of any row is made up.
    var isMadeUp: Bool { rows.contains(where: \.isMadeUp) }

    /// The time until the board must be redrawn even without input: until the next full second or the end of a flash,
    /// whichever comes first.
    func nextChange(after moment: Moment) -> Duration {
        let second = Duration.milliseconds(1000 - moment.wall.milliseconds % 1000)
        let flashes = rows.lazy.compactMap(\.flashEnd).filter { $0 > moment.instant }
        return flashes.map { $0 - moment.instant }.reduce(second, min)
    }

    /// Whether the readings are live, not a recording.
    var isLive: Bool { pace.isLive && !isRecording && !isPast }

    /// The approximate time by the clock that sets the beats, which may be on another machine; in a recording, the time
    /// of the latest beat. Before the first beat, or if the latest beat has no time, this machine's clock is used.
    /// While the clock is stopped, this time can change only when another beat arrives.
    func now(_ moment: Moment) -> Timestamp {
        let moment = stopped ?? moment
        return (isLive ? pace.time(at: moment.instant) : beats.at) ?? moment.wall
    }

    /// The age of a row's latest quote; nil if there is no quote. In a live stream, the age is approximately the
    /// quote's age on arrival plus the time since then; it does not grow while the clock is stopped.
    func age(of row: BoardRow, at moment: Moment) -> Age? {
        guard let quote = row.quoted?.quote else { return nil }
        guard isLive else { return Age(since: quote.timestamp, at: now(moment)) }
        let instant = (stopped ?? moment).instant
        return Age(milliseconds: row.quotedAge + (instant - row.quotedAt).milliseconds)
    }

    var isStopped: Bool { stopped != nil }

    mutating func toggleClock(at moment: Moment = .now) {
        (stopped, resumed) = isStopped ? (nil, moment.instant) : (moment, resumed)
    }
}
