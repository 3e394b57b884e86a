import PipeCommon

/// A beat, or candles that begin at the same time, and what the prices are compared with.
struct TableLine: Equatable {
    var beat: Beat
    /// The readings of the line before of the same kind.
    private(set) var previous: [Symbol: Reading] = [:]

    init(_ beat: Beat) {
        self.beat = beat
    }

    /// Compares the prices with those of the line before. A candle that is asked for again may come after a later one,
    /// and a change against that would be one of the wrong day.
    mutating func compare(with other: TableLine?) {
        guard let other, beat.candle == nil || beat.isLater(than: other.beat) else { return }
        previous = other.beat.readings
    }

    /// The change of a symbol's price against the line before, in hundredths of a percent; nil if one of the two is
    /// missing or stale, or the former one disputed. The prices of beats are compared only if they are of the same source and market.
    func change(of symbol: Symbol, at now: Timestamp) -> Int? {
        guard let old = previous[symbol], let new = beat.readings[symbol],
            !old.isDisputed, old.validity(at: now) != .stale, new.validity(at: now) != .stale,
            let first = old.quote, let second = new.quote, first.currency == second.currency,
            beat.candle != nil || PriceChange.areComparable(old, new)
        else { return nil }
        return Price.hundredths(from: first.price, to: second.price)
    }
}
