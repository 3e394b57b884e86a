import PipeCommon

extension Reading {
    /// Whether this is the closing price of a candle that has ended: such a quote has the time of its end.
    var isClosedCandle: Bool {
        guard let candle, let at, let quote, candle.beginning(of: at) == at else { return false }
        return quote.timestamp == at + candle.length
    }
}
