import PipeCommon

/// The readings of one beat, or of the candles that begin at the same time.
struct TableLine: Equatable {
    /// When the beat was due, or when the candles begin.
    let at: Timestamp?
    let tick: Int?
    let candle: Candle?
    var readings: [Symbol: Reading]
    /// Those of the line before of the same kind.
    private(set) var previous: [Symbol: Reading] = [:]

    init(_ reading: Reading) {
        (at, tick, candle) = (reading.at, reading.tick, reading.candle)
        readings = [reading.pricedSymbol: reading]
    }

    /// Whether both belong to the same beat or the same candles.
    func isSame(as other: TableLine) -> Bool {
        guard candle == other.candle, at == other.at else { return false }
        return candle != nil || tick == other.tick && (at != nil || tick != nil)
    }

    /// Whether both may be open at the same time: they are of the same beat, or of one burst of candles.
    func isBeside(_ other: TableLine) -> Bool {
        candle == nil ? isSame(as: other) : candle == other.candle
    }

    /// Of beats the numbers count, too: the clock may have been set back, or started again.
    func isLater(than other: TableLine) -> Bool {
        guard candle == other.candle, let at, let time = other.at, at > time else { return false }
        guard candle == nil, let tick, let number = other.tick else { return true }
        return tick > number
    }

    /// Compares the prices with those of the line before. A candle that is asked for again may come after a later one,
    /// and a change against that would be one of the wrong day.
    mutating func compare(with other: TableLine?) {
        guard let other, candle == nil || isLater(than: other) else { return }
        previous = other.readings
    }

    /// The change of a symbol's price against the line before, in hundredths of a percent; nil if one of the two is
    /// missing or stale. The prices of beats are compared only if they are of the same source and market.
    func change(of symbol: Symbol, at now: Timestamp) -> Int? {
        guard let old = previous[symbol], let new = readings[symbol],
            old.validity(at: now) != .stale, new.validity(at: now) != .stale,
            let first = old.quote, let second = new.quote, first.currency == second.currency,
            candle != nil || PriceChange.areComparable(old, new)
        else { return nil }
        return Price.hundredths(from: first.price, to: second.price)
    }
}
