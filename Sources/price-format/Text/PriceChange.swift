import PipeCommon

/// The change from one price to the next.
struct PriceChange: Equatable {
    let difference: Price
    let currency: Currency
    let isUp: Bool

    var meaning: Palette.Meaning { isUp ? .up : .down }
}

extension PriceChange {
    /// - Returns: nil if a price is missing, if the two prices are equal, or if their origins differ, because a
    ///   difference between two sources or markets is not a price movement.
    init?(from old: Reading, to new: Reading) {
        guard Self.areComparable(old, new), let old = old.quote?.price.units, let quote = new.quote,
            let difference = Price(units: abs(quote.price.units - old))
        else { return nil }
        self.init(difference: difference, currency: quote.currency, isUp: quote.price.units > old)
    }

    static func areComparable(_ old: Reading, _ new: Reading) -> Bool {
        old.quote != nil && new.quote != nil && PriceOrigin(old) == PriceOrigin(new)
    }

    /// The change in millionths of a reading's price, negative for a fall; nil if no reading with a price is given.
    func share(of reading: Reading?) -> Int? {
        guard let price = reading?.quote?.price else { return nil }
        let share = Int(clamping: difference.units * 1_000_000 / price.units)
        return isUp ? share : -share
    }
}

/// The origin of a price: its source, currency and market. Two prices can be compared if they have the same origin.
struct PriceOrigin: Hashable {
    private let source: String?
    private let currency: Currency?
    private let market: InlineText?

    init(_ reading: Reading) {
        (source, currency, market) = (reading.source, reading.quote?.currency, reading.quote?.market)
    }
}

/// Arithmetic with exact prices, in units of 10⁻¹².
extension Price {
    private static let one = 1_000_000_000_000

    /// - Parameter units: not negative.
    /// - Returns: nil if `units` is too large for a price, or if it is 0, because 0 is not a price.
    init?(units: Int128) {
        self.init(Self.text(units))
    }

    /// The decimal text of a number of units, without zeros at the end of the fraction.
    ///
    /// - Parameter units: not negative, of any size.
    static func text(_ units: Int128) -> String {
        // The leading 1 preserves the zeros at the beginning of the fraction.
        let (whole, rest) = units.quotientAndRemainder(dividingBy: Int128(Self.one))
        var digits = String(Self.one + Int(rest)).utf8.dropFirst()
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.isEmpty ? "\(whole)" : "\(whole).\(Substring(digits))"
    }

    /// The change from one price to another in hundredths of a percent, rounded half away from zero; nil if it is
    /// too large for an `Int`.
    ///
    /// - Parameter parts: the number of parts into which a hundredth of a percent is divided; the result counts these
    ///   parts.
    static func hundredths(from old: Price, to new: Price, parts: Int128 = 1) -> Int? {
        let (old, new) = (old.units, new.units)
        let hundredths = (abs(new - old) * 20_000 * parts / old + 1) / 2
        return Int(exactly: new < old ? -hundredths : hundredths)
    }

    /// The price as it is shown, in units of 10⁻ᵈ, where d is the returned `decimals`. Unless `kept` requires more
    /// decimals, a price of at least 10 is rounded to the decimals of its currency, and a price of at least 1 but below
    /// 10 keeps up to five significant digits. Both are rounded half away from zero. A price below 1 is not rounded,
    /// because `$0.00` is not a price.
    ///
    /// - Parameters:
    ///   - least: the number of decimals of the currency, at most 6.
    ///   - kept: the minimum number of decimals, which aligns the prices in a column. For a price of at least 1, a
    ///     minimum above 6 counts as 6.
    func shownUnits(decimals least: Int, keeping kept: Int = 0) -> (units: Int, decimals: Int) {
        // Calculations with two numbers of at most 12 digits are faster than calculations with one number of 24 digits.
        let (high, low) = units.quotientAndRemainder(dividingBy: Int128(Self.one))
        let (whole, rest) = (Int(high), Int(low))
        let least = max(least, whole == 0 ? kept : min(kept, 6))
        var decimals = max(least, whole == 0 ? 12 : whole < 10 ? 4 : 0)
        var (scale, step) = (1, Self.one)
        for _ in 0..<decimals { (scale, step) = (scale * 10, step / 10) }
        var units = whole * scale + (rest + step / 2) / step
        while decimals > least, units % 10 == 0 { (units, decimals) = (units / 10, decimals - 1) }
        return (units, decimals)
    }

    /// The number of decimals with which the price is shown in a currency without decimals.
    var shownDecimals: Int { shownUnits(decimals: 0).decimals }
}
