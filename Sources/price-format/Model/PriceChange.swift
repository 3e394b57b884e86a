import PipeCommon

/// The change from one price to the next.
enum PriceChange: Equatable {
    case up(Price)
    case down(Price)

    /// - Returns: nil when the price is the same, or when the two cannot be compared: two sources or two markets have
    ///   two prices, and the difference between them is not a movement.
    init?(from old: Reading, to new: Reading) {
        guard old.source == new.source, let old = old.quote, let new = new.quote,
            old.currency == new.currency, old.market == new.market,
            let difference = Price(exactUnits: abs(new.price.exactUnits - old.price.exactUnits))
        else { return nil }
        self = new.price.exactUnits > old.price.exactUnits ? .up(difference) : .down(difference)
    }
}

extension Price {
    /// The decimals that a price may have.
    private static let decimals = 12
    private static let one: Int128 = 1_000_000_000_000

    /// The price in units of 10⁻¹², exactly.
    fileprivate var exactUnits: Int128 {
        let parts = text.split(separator: ".")
        let fraction = parts.dropFirst().joined()
        let zeros = String(repeating: "0", count: Self.decimals - fraction.count)
        return Int128("\(parts[0])\(fraction)\(zeros)")!
    }

    /// - Returns: nil for 0, which is not a price.
    fileprivate init?(exactUnits units: Int128) {
        // The 1 before it keeps the leading zeros of the fraction.
        let (whole, fraction) = units.quotientAndRemainder(dividingBy: Self.one)
        var digits = String(Self.one + fraction).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        self.init(digits.isEmpty ? "\(whole)" : "\(whole).\(digits)")
    }
}
