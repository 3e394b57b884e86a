import PipeCommon

/// Prices over time: the last price of each step, in a bounded number of steps of equal length. Pure.
struct PriceHistory {
    /// How the number of steps is limited.
    enum Bound {
        /// The oldest steps are discarded.
        case latest
        /// Pairs of neighboring steps are merged, which doubles the length of a step.
        case all
    }

    /// The length of a step in milliseconds.
    private(set) var step: Int
    private let limit: Int
    private let bound: Bound
    /// The number of the first step, counted from 1970.
    private var first = 0
    /// One price per step, in units of 10⁻¹²; nil for a step without a price.
    private var prices: [Int128?] = []

    init(step: Int, limit: Int, _ bound: Bound) {
        (self.step, self.limit, self.bound) = (step, limit, bound)
    }

    mutating func record(_ price: Int128, at time: Int) {
        if prices.isEmpty { first = time / step }
        // With the bound `latest`, a price that is at least `2 * limit` steps away from the first step, for example
        // after a jump of the clock, starts a new history.
        if bound == .latest, abs(time / step - first) >= 2 * limit { (first, prices) = (time / step, []) }
        while bound == .all, time / step - first >= limit { merge() }
        // A price from before the last step, for example after the clock was set back a little, is recorded in the last
        // step.
        let index = max(time / step - first, prices.count - 1)
        while prices.count <= index { prices.append(nil) }
        prices[index] = price
        let excess = max(0, prices.count - limit)
        first += excess
        prices.removeFirst(excess)
    }

    /// Makes each step at least `beat` milliseconds long, where `beat` is the time between two beats. If steps
    /// were shorter, some of them would lack a price even if every beat had a price.
    mutating func widen(to beat: Int) {
        while step < beat { merge() }
    }

    private mutating func merge() {
        let start = first >> 1
        var merged: [Int128?] = []
        for (index, price) in prices.enumerated() {
            let place = (first + index) >> 1 - start
            if place == merged.count { merged.append(price) } else { merged[place] = price ?? merged[place] }
        }
        (first, prices, step) = (start, merged, step * 2)
    }

    /// - Returns: the prices of the last `count` steps up to a time, or up to the newest step if that is later; fewer
    ///   if the history does not go back that far. A time that is more than `limit` steps after the newest step is
    ///   replaced by the time `limit` steps after that step.
    func last(_ count: Int, until time: Int) -> [Int128?] {
        let end = min(max(time / step - first + 1, prices.count), prices.count + limit)
        let start = max(0, end - count)
        guard start < prices.count else { return Array(repeating: nil, count: prices.isEmpty ? 0 : count) }
        return prices[start...] + Array(repeating: nil, count: end - prices.count)
    }

    /// - Parameters:
    ///   - steps: the number of steps in a cell, which is one character of a sparkline.
    ///   - hold: the number of steps until the next price is due. A price counts for this number of steps; after that,
    ///     cells are empty.
    /// - Returns: the last price of each of the last `count` cells up to a time, or up to the newest step if that is
    ///   later; fewer if the history does not go back that far. The current cell is left out until it has a price.
    func cells(_ count: Int, of steps: Int, until time: Int, holding hold: Int) -> [Int128?] {
        guard let newest = prices.indices.last else { return [] }
        let end = max(time / step, first + newest) / steps
        var cells = (max(first / steps, end - count)...end).map { cell in
            let indices = cell * steps - hold + 1 - first..<(cell + 1) * steps - first
            return indices.clamped(to: 0..<newest + 1).last { prices[$0] != nil }.flatMap { prices[$0] }
        }
        if let last = cells.last, last == nil { cells.removeLast() }
        return cells.suffix(count)
    }
}

/// The new, undisputed prices of one source, market and currency since the session began. Pure.
struct PriceSession {
    /// The length of a step of `minute` in milliseconds. If a sparkline of the last minute has 60 cells, each cell
    /// contains two steps; if it has 8 cells, each cell contains 15 steps.
    private static let step = 500
    /// The number of steps in a minute.
    private static let steps = 60_000 / step

    /// The prices of the last minute and of the current step.
    private(set) var minute = PriceHistory(step: Self.step, limit: Self.steps + 1, .latest)
    private(set) var all = PriceHistory(step: 1000, limit: 240, .all)
    /// The quotes with the highest and the lowest price.
    private(set) var high: Quote?
    private(set) var low: Quote?
    private var highest = Int128.min
    private var lowest = Int128.max

    /// The prices of the last minute, divided into `cells` cells. `cells` must be a divisor of 120 and at most 60. A
    /// price counts until the next price is due.
    ///
    /// - Parameter interval: the interval between beats in milliseconds.
    func minute(in cells: Int, until time: Timestamp, interval: Int) -> [Int128?] {
        let hold = max(1, (interval + Self.step - 1) / Self.step)
        return minute.cells(cells, of: Self.steps / cells, until: time.milliseconds, holding: hold)
    }

    /// - Parameters:
    ///   - units: the price in units of 10⁻¹².
    ///   - beat: the time from one beat to the next, in milliseconds; nil if it is not known.
    mutating func record(_ quote: Quote, _ units: Int128, at time: Timestamp, beat: Int?) {
        if let beat { all.widen(to: beat) }
        minute.record(units, at: time.milliseconds)
        all.record(units, at: time.milliseconds)
        if units > highest { (high, highest) = (quote, units) }
        if units < lowest { (low, lowest) = (quote, units) }
    }
}
