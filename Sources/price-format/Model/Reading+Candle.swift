import PipeCommon

extension Reading {
    /// Whether this is the closing price of a candle that has ended: such a quote has the time of its end.
    var isClosedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return quote.timestamp == candleEnd
    }

    /// Whether the price was received after the end of its candle. Until the candle is closed for good, such a quote has the
    /// last millisecond before the end.
    var isEndedCandle: Bool {
        guard let candleEnd, let quote else { return false }
        return isClosedCandle || quote.timestamp == candleEnd + .milliseconds(-1)
    }

    /// Nil for the price of a beat, and for a time at which no candle begins.
    var candleEnd: Timestamp? {
        guard let candle, let at, candle.beginning(of: at) == at else { return nil }
        return at + candle.length
    }
}
