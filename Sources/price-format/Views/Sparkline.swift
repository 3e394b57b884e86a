/// Prices over time in one line: a column per price, the higher the price the higher the sign. Pure.
struct Sparkline {
    let glyphs: Glyphs

    /// - Parameter prices: nil for a time without a price. Prices that are all the same are drawn at half the height.
    func text(_ prices: [Int128?]) -> String {
        let known = prices.compactMap { $0 }
        guard let low = known.min(), let high = known.max() else {
            return String(repeating: glyphs.gap, count: prices.count)
        }
        let top = Int128(glyphs.sparkline.count - 1)
        return String(
            prices.map { price in
                guard let price else { return glyphs.gap }
                return glyphs.sparkline[Int(low == high ? top / 2 : (price - low) * top / (high - low))]
            })
    }

    /// - Returns: at most this many of the prices, evenly chosen, the last one among them.
    static func thinned(_ prices: [Int128?], to columns: Int) -> [Int128?] {
        guard prices.count > columns else { return prices }
        return (1...max(1, columns)).map { prices[$0 * prices.count / max(1, columns) - 1] }
    }
}
