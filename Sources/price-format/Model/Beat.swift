import PipeCommon

/// The readings of one beat, or of the candles that begin at the same time.
struct Beat: Equatable {
    /// When the beat was due, or when the candles begin.
    let at: Timestamp?
    let tick: Int?
    let candle: Candle?
    var readings: [Symbol: Reading]

    init(_ reading: Reading) {
        (at, tick, candle) = (reading.at, reading.tick, reading.candle)
        readings = [reading.pricedSymbol: reading]
    }

    /// Whether a reading belongs to it. Candles that begin together may have several numbers.
    func includes(_ reading: Reading) -> Bool {
        candle == reading.candle && at == reading.at && (candle != nil || tick == reading.tick)
    }

    /// The numbers of beats count as well: the clock may have been set back, or started again.
    func isLater(than other: Beat) -> Bool {
        guard candle == other.candle, let at, let time = other.at, at > time else { return false }
        guard candle == nil, let tick, let number = other.tick else { return true }
        return tick > number
    }
}
