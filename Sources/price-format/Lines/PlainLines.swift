import PipeCommon

/// Prints each reading as one line, with a banner above it if the quote is not new. A candle never has a banner and may
/// be left out (see `hasCandles`). The reason for a missing price is printed above the first of a symbol's consecutive
/// lines without a price, not counting candles. It is left out there if the same reason was printed last and no missing
/// price has returned since. When a dispute begins, and usually at most once per minute while it lasts, a line above
/// the price reports the dispute.
struct PlainLines: LineStyle {
    /// The time after which a dispute is reported again, in milliseconds.
    private static let reminder = 60_000
    /// The maximum number of symbols in `disputes` and in `unpriced`. A full collection is emptied.
    private static let mostSymbols = 10_000

    private let wording: Wording
    private let palette: Palette
    /// Whether candles are printed. They are left out if these lines replace full-screen mode, which does not list
    /// candles either.
    private let hasCandles: Bool
    /// For each current dispute, when it was last reported, in milliseconds since 1970: the time of the reading or, if
    /// the reading has no time, the time of its quote.
    private var disputes: [Symbol: Int] = [:]
    /// The symbols whose latest reading, not counting candles, lacks a price, and the filter for repeated reasons.
    private var unpriced: Set<Symbol> = []
    private var reason = ChangeFilter()
    /// Whether any reading so far, apart from candles that are left out, is for a symbol other than BTC-USD. If so, the
    /// lines of BTC-USD also contain their symbol. The first reading is held back, because the readings that arrived
    /// together with it may be for other symbols.
    private var hasOthers = false
    private var isFirst = true
    private var first: Reading?
    let deadline: Deadline? = nil
    let status = ExitStatus.done

    init(_ wording: Wording, _ palette: Palette, hasCandles: Bool) {
        (self.wording, self.palette, self.hasCandles) = (wording, palette, hasCandles)
    }

    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter)
        throws(StreamError)
    {
        guard hasCandles || reading.candle == nil else { return }
        if reading.pricedSymbol != .bitcoin { hasOthers = true }
        try printDue(at: now, to: &output)
        guard !isFirst else {
            (isFirst, first) = (false, reading)
            return
        }
        try output.add(at: reading.at) { append(reading, to: &$0) }
    }

    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError) {
        guard let reading = first else { return }
        first = nil
        try output.add(at: reading.at) { append(reading, to: &$0) }
    }

    mutating func append(_ reading: Reading, to text: inout ByteBuffer) {
        if let candle = reading.candle { return appendCandle(candle, reading, to: &text) }
        if let dispute = dispute(of: reading) { text.append("\(palette.paint(dispute, .banner))\n") }
        if let banner = banner(above: reading) { text.append("\(palette.paint(banner, .banner))\n") }
        if let quote = reading.quote {
            text.append(wording.text(quote.timestamp, at: reading.at))
            text.append(" - " as StaticString)
        }
        appendName(of: reading.pricedSymbol, to: &text)
        appendPrice(of: reading, to: &text)
    }

    /// Appends one line that states the length and, if known, the beginning of the candle, so that the candle's price
    /// is not mistaken for the current price.
    private func appendCandle(_ candle: Candle, _ reading: Reading, to text: inout ByteBuffer) {
        if let at = reading.at { text.append("\(wording.text(at, at: nil)) - ") }
        appendName(of: reading.pricedSymbol, to: &text)
        text.append("\(candle.rawValue) candle ")
        if reading.quote != nil {
            text.append(reading.isClosed ? "closed at " : reading.isFresh ? "now at " : "last at ")
        }
        appendPrice(of: reading, to: &text)
    }

    /// Appends the symbol and a blank, unless the only symbol so far is `BTC-USD`.
    private func appendName(of symbol: Symbol, to text: inout ByteBuffer) {
        if hasOthers || symbol != .bitcoin { text.append("\(symbol.text) ") }
    }

    private func appendPrice(of reading: Reading, to text: inout ByteBuffer) {
        guard let quote = reading.quote else { return text.append(UInt8(ascii: "-")) }
        wording.money.append(quote, to: &text)
    }

    /// The line above a reading without a new quote; nil if there is nothing to print. If several symbols in a row
    /// have no price for the same reason, the reason is printed only once.
    private mutating func banner(above reading: Reading) -> String? {
        guard reading.quote == nil else {
            if !unpriced.isEmpty, unpriced.remove(reading.pricedSymbol) != nil { reason = ChangeFilter() }
            return reading.isFresh ? nil : wording.banner(of: reading)
        }
        if unpriced.count >= Self.mostSymbols { unpriced = [] }
        guard unpriced.insert(reading.pricedSymbol).inserted else { return nil }
        return reason.changed(to: wording.banner(of: reading))
    }

    /// The line that reports a dispute; nil if the price is not disputed, or if the times of this reading and of the
    /// reading with which the dispute was last reported differ by less than a minute.
    private mutating func dispute(of reading: Reading) -> String? {
        guard reading.isDisputed, let quote = reading.quote else {
            if !disputes.isEmpty, reading.isFresh { disputes[reading.pricedSymbol] = nil }
            return nil
        }
        let (symbol, time) = (reading.pricedSymbol, (reading.at ?? quote.timestamp).milliseconds)
        if let last = disputes[symbol], abs(time - last) < Self.reminder { return nil }
        if disputes.count >= Self.mostSymbols { disputes = [:] }
        disputes[symbol] = time
        return wording.dispute(of: reading)
    }
}
