import PipeCommon

/// The change from one price to the next in hundredths of a percent, rounded half away from zero.
struct PercentChange: Equatable {
    enum Direction {
        case up, down, none
    }

    /// Not negative.
    let hundredths: Int
    /// Also of a change that is rounded to zero.
    let direction: Direction

    /// - Returns: nil when the two cannot be compared: two sources or two markets have two prices, and the difference
    ///   between them is not a movement.
    init?(from old: Reading, to new: Reading) {
        guard PriceChange.areComparable(old, new), let old = old.quote?.price, let new = new.quote?.price
        else {
            return nil
        }
        let (from, difference) = (old.exactUnits, new.exactUnits - old.exactUnits)
        hundredths = Int(clamping: (difference.magnitude * 10_000 + UInt128(from) / 2) / UInt128(from))
        direction = difference > 0 ? .up : difference < 0 ? .down : .none
    }
}
