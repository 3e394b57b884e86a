import PipeCommon

/// Prints each reading by itself, and above a disputed price, when the dispute begins and then once a minute, which sources
/// disagree.
struct PlainLines: LineStyle {
    /// In milliseconds.
    private static let reminder = 60_000

    private let view: PlainView
    /// The price of a candle is not the price now.
    private let hasCandles: Bool
    /// When the disputes that last were printed, in milliseconds since 1970.
    private var disputes: [Symbol: Int] = [:]
    let deadline: Deadline? = nil

    init(_ view: PlainView, hasCandles: Bool) {
        (self.view, self.hasCandles) = (view, hasCandles)
    }

    mutating func record(_ reading: Reading, at now: Deadline.Instant, to output: inout ReadingWriter)
        throws(StreamError)
    {
        guard hasCandles || reading.candle == nil else { return }
        try output.add(at: reading.at) { append(reading, to: &$0) }
    }

    mutating func append(_ reading: Reading, to text: inout ByteBuffer) {
        let isReported = isReported(reading)
        view.append(reading, withDispute: isReported, to: &text)
    }

    private mutating func isReported(_ reading: Reading) -> Bool {
        if reading.failures.isEmpty, disputes.isEmpty { return false }
        guard reading.isFresh, reading.candle == nil, let quote = reading.quote else { return false }
        let (symbol, time) = (reading.pricedSymbol, (reading.at ?? quote.timestamp).milliseconds)
        guard reading.isDisputed else {
            disputes[symbol] = nil
            return false
        }
        if let last = disputes[symbol], abs(time - last) < Self.reminder { return false }
        disputes[symbol] = time
        return true
    }

    func expire(at now: Deadline.Instant, to output: inout ReadingWriter) {}
    func finish(to output: inout ReadingWriter) -> ExitStatus { .done }
}
