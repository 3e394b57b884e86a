import PipeCommon

/// What the spacing of rows says of their length. Pure.
enum CandleSpacing {
    /// - Parameter beginnings: of all rows, in any order. One may be at an odd time, where an exchange went on after an
    ///   outage.
    /// - Throws: when the rows are shorter or longer than candles of this length.
    static func check(_ beginnings: Set<Timestamp>, _ candle: Candle) throws(InvalidInput) {
        let sorted = beginnings.sorted()
        for (row, next) in zip(sorted, sorted.dropFirst())
        where candle.beginning(of: row) == row && next < row + candle.length {
            throw InvalidInput(
                "rows of \(row.text) and \(next.text) are too close for \(candle.rawValue) candles")
        }
        let whole = sorted.filter { candle.beginning(of: $0) == $0 }.map(\.milliseconds)
        let spacing = zip(whole, whole.dropFirst()).reduce(0) { greatestDivisor($0, $1.1 - $1.0) }
        // Candles without trades may be missing, but hardly all that are not of the next length, too.
        let longer = Candle.allCases.map(\.length).first { $0 > candle.length } ?? candle.length * 7
        if spacing > 0, spacing % longer.milliseconds == 0 {
            throw InvalidInput("rows that are \(spacing / 1000) s apart are not \(candle.rawValue) candles")
        }
    }

    private static func greatestDivisor(_ left: Int, _ right: Int) -> Int {
        right == 0 ? left : greatestDivisor(right, left % right)
    }
}
