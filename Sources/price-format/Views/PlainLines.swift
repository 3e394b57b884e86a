import PipeCommon

/// Prints each reading by itself.
struct PlainLines: LineStyle {
    let view: PlainView
    /// The price of a candle is not the price now.
    let hasCandles: Bool
    let deadline: Deadline? = nil

    mutating func record(_ reading: Reading, at now: Deadline.Instant, to output: inout ReadingWriter)
        throws(StreamError)
    {
        if hasCandles || reading.candle == nil {
            try output.add(at: reading.at) { view.append(reading, to: &$0) }
        }
    }

    func expire(at now: Deadline.Instant, to output: inout ReadingWriter) {}
    func finish(to output: inout ReadingWriter) -> ExitStatus { .done }
}
