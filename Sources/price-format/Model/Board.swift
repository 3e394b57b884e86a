import PipeCommon

/// The latest readings of each symbol, and where a person is in them: readings, keys and time go in, rows come out. Pure.
struct Board {
    /// Readings whose tick is further than this from now, in milliseconds, come from a recording.
    private static let liveAge = 60_000
    /// In the order in which the symbols appeared.
    private(set) var rows: [BoardRow] = []
    private(set) var beats = Beats()
    private(set) var isLive = true
    private var closes: [Symbol: DayCloses] = [:]
    /// Whether a candle of a day has arrived, so that changes of today can be known.
    private(set) var hasCandles = false
    /// What a person has chosen.
    var choice = BoardChoice()
    /// Names and descriptions of symbols.
    var names = SymbolNames()
    /// Whether there is a clock that can be stopped.
    var hasClock = false
    /// Whether the clock is stopped, so that no tick is to be expected.
    var isStopped = false

    mutating func record(_ reading: Reading, at wall: Timestamp = .now()) {
        // The price of a candle is not the price now.
        if let candle = reading.candle {
            if candle == .day { record(candle: reading) }
            return
        }
        let isNewBeat = beats.record(reading) == .new
        if reading.isFresh { closes[reading.pricedSymbol, default: DayCloses()].record(reading) }
        isLive = reading.at.map { abs(wall.milliseconds - $0.milliseconds) < Self.liveAge } ?? true
        let (beat, now) = (beats.count, now(wall))
        // By index: a closure would be handed a copy of each row.
        let symbol = reading.pricedSymbol
        if let index = rows.indices.first(where: { rows[$0].reading.pricedSymbol == symbol }) {
            rows[index].record(reading, beat: beat, wall: wall, now: now)
        } else {
            rows.append(BoardRow(reading, beat: beat, wall: wall, now: now))
        }
        adoptSpelling(of: symbol)
        if isNewBeat { rows.removeAll { beats.isGone($0.symbol) } }
    }

    private mutating func record(candle reading: Reading) {
        if reading.quote != nil { hasCandles = true }
        closes[reading.pricedSymbol, default: DayCloses()].record(reading)
    }

    /// The change against the close of the day before, in hundredths of a percent; nil if it is not known.
    func today(_ row: BoardRow) -> Int? {
        hasCandles && row.reading.isFresh ? closes[row.symbol]?.today(row.reading) : nil
    }

    /// A link may name a symbol in small letters.
    private mutating func adoptSpelling(of symbol: Symbol) {
        guard let selected = choice.selected, selected != symbol else { return }
        let isSame = selected.text.lowercased() == symbol.text.lowercased()
        if isSame, !rows.contains(where: { $0.symbol == selected }) { choice.selected = symbol }
    }

    /// When the board looks different although nothing has happened: an age has changed, or a price has flashed.
    func nextChange(after wall: Timestamp) -> Timestamp {
        let second = Timestamp(milliseconds: wall.milliseconds + 1000 - wall.milliseconds % 1000)
        return rows.compactMap(\.flashEnd).filter { $0 > wall }.reduce(second, min)
    }

    /// The time by which ages count: that of the wall clock; in a recording, that of the last tick.
    func now(_ wall: Timestamp) -> Timestamp {
        isLive ? wall : beats.at ?? wall
    }
}
