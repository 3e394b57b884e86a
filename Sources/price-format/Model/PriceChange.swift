import PipeCommon

/// The change from one price to the next.
enum PriceChange: Equatable {
    case up(Price)
    case down(Price)

    /// - Returns: nil when the price is the same, or when the two cannot be compared: two sources or two markets have
    ///   two prices, and the difference between them is not a movement.
    init?(from old: Reading, to new: Reading) {
        guard Self.areComparable(old, new), let old = old.quote, let new = new.quote,
            let difference = Price(exactUnits: abs(new.price.exactUnits - old.price.exactUnits))
        else { return nil }
        self = new.price.exactUnits > old.price.exactUnits ? .up(difference) : .down(difference)
    }

    var isUp: Bool {
        if case .up = self { true } else { false }
    }

    var difference: Price {
        switch self {
        case .up(let difference), .down(let difference): difference
        }
    }

    static func areComparable(_ old: Reading, _ new: Reading) -> Bool {
        guard let first = old.quote, let second = new.quote else { return false }
        return old.source == new.source && first.currency == second.currency && first.market == second.market
    }

    /// The change in millionths of the price that it led to.
    func share(of reading: Reading?) -> Int? {
        guard let price = reading?.quote?.price else { return nil }
        let share = Int(clamping: difference.exactUnits * 1_000_000 / price.exactUnits)
        return isUp ? share : -share
    }
}

extension Price {
    /// The decimals that a price may have.
    private static let decimals = 12
    private static let one: Int128 = 1_000_000_000_000

    /// The change from one price to another in hundredths of a percent, rounded half away from zero; nil if it is too large
    /// to be written.
    static func hundredths(from old: Price, to new: Price) -> Int? {
        let (old, new) = (old.exactUnits, new.exactUnits)
        let hundredths = (abs(new - old) * 20_000 / old + 1) / 2
        return Int(exactly: new < old ? -hundredths : hundredths)
    }

    /// The price in units of 10⁻¹², exactly.
    var exactUnits: Int128 {
        digits.withBytes { digits in
            // In two numbers of at most 12 digits, which is faster than one of 24.
            var (whole, fraction, left, isFraction) = (0, 0, Self.decimals, false)
            for digit in digits {
                if digit == UInt8(ascii: ".") {
                    isFraction = true
                } else if isFraction {
                    (fraction, left) = (fraction * 10 + Int(digit & 0x0F), left - 1)
                } else {
                    whole = whole * 10 + Int(digit & 0x0F)
                }
            }
            for _ in 0..<left { fraction *= 10 }
            return Int128(whole) * Self.one + Int128(fraction)
        }
    }

    /// - Returns: nil for 0, which is not a price.
    fileprivate init?(exactUnits units: Int128) {
        // The 1 before it keeps the leading zeros of the fraction.
        let (whole, rest) = units.quotientAndRemainder(dividingBy: Self.one)
        var digits = String(Int(Self.one + rest)).utf8.dropFirst()
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        self.init(digits.isEmpty ? "\(Int(whole))" : "\(Int(whole)).\(Substring(digits))")
    }
}
