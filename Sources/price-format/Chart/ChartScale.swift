import PipeCommon

/// Maps prices to the rows of a chart. Round prices are in the middle of every row, or of every second, fourth, …
/// one. Pure.
struct ChartScale {
    /// The price in the middle of the lowest row, and the difference from row to row, in units of 10⁻¹².
    private let bottom: Int128
    private let step: Int128
    private let rows: Int
    /// The difference between two labels: 1, 2 or 5, followed by zeros.
    private let labelStep: Int128

    /// - Parameter rows: at least 1.
    init(from lowest: Int128, to highest: Int128, rows: Int) {
        let every: Int128 = rows < 4 ? 1 : rows < 10 ? 2 : rows < 24 ? 4 : rows < 40 ? 5 : 10
        // Prices that hardly differ do not fill the height.
        let least = max((highest - lowest) * every / Int128(rows), highest / 5000, 100)
        let candidates = Self.roundNumbers(from: least)
        (self.rows, labelStep) = (
            rows, candidates.first { Self.fits(lowest, highest, rows, $0 / every) } ?? candidates.last!
        )
        step = labelStep / every
        bottom = Self.bottom(lowest, highest, rows, step)
    }

    /// The price of the lowest row that centers the prices in the height, but at least zero.
    private static func bottom(_ lowest: Int128, _ highest: Int128, _ rows: Int, _ step: Int128) -> Int128 {
        let ideal = (lowest + highest - Int128(rows - 1) * step + step) / 2
        return max(0, ideal / step * step)
    }

    private static func fits(_ lowest: Int128, _ highest: Int128, _ rows: Int, _ step: Int128) -> Bool {
        let bottom = bottom(lowest, highest, rows, step)
        return lowest * 2 >= bottom * 2 - step && highest * 2 < (bottom + Int128(rows - 1) * step) * 2 + step
    }

    /// Some numbers of at least this size that are 1, 2 or 5 followed by at least two zeros.
    private static func roundNumbers(from least: Int128) -> [Int128] {
        var power: Int128 = 100
        while power * 10 <= least { power *= 10 }
        return [1, 2, 5, 10, 20, 50, 100].map { $0 * power }.filter { $0 >= least }
    }

    /// The height of a price, counted in dots from the bottom.
    ///
    /// - Parameter dots: the number of dots per row.
    func dot(of price: Int128, dots: Int) -> Int {
        let dots = Int128(dots)
        let place = (2 * dots * (price - bottom) + dots * step) / (2 * step)
        return Int(min(max(place, 0), Int128(rows) * dots - 1))
    }

    /// The round price in the middle of a row, counted from the bottom, and the decimals that all labels need; nil
    /// if the row has no label.
    func label(ofRow row: Int) -> (price: Price, decimals: Int)? {
        let price = bottom + Int128(row) * step
        guard price % labelStep == 0, let label = Price(units: price) else { return nil }
        var (decimals, rest) = (12, labelStep)
        while decimals > 0, rest % 10 == 0 { (decimals, rest) = (decimals - 1, rest / 10) }
        return (label, decimals)
    }
}
