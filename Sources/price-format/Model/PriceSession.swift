import PipeCommon

/// The prices of one source, market and currency since the program was started. Pure.
struct PriceSession {
    /// A minute in eighths, one per character of its sparkline.
    private(set) var minute = PriceHistory(step: 7500, limit: 8, .latest)
    private(set) var all = PriceHistory(step: 1000, limit: 240, .all)
    /// The quotes with the highest and the lowest price.
    private(set) var high: Quote?
    private(set) var low: Quote?
    private var highest: Int128 = 0
    private var lowest = Int128.max

    /// - Parameter units: the price in units of 10⁻¹².
    mutating func record(_ quote: Quote, _ units: Int128, at time: Timestamp) {
        minute.record(units, at: time.milliseconds)
        all.record(units, at: time.milliseconds)
        if units > highest { (high, highest) = (quote, units) }
        if units < lowest { (low, lowest) = (quote, units) }
    }
}
