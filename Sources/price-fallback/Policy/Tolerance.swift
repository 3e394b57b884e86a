import PipeCommon

/// The allowed difference between two prices of a symbol, as a fraction of the lower one: 10 % allows 100 and
/// 110. Prices are compared with exact decimal arithmetic. Pure.
struct Tolerance: Equatable, Sendable {
    /// 10 %.
    static let usual = Tolerance(millionths: 100_000)

    private let millionths: UInt128

    private init(millionths: UInt128) {
        self.millionths = millionths
    }

    /// - Parameter text: 0.1% to 1000%, with at most four decimals.
    init?(_ text: String) {
        guard text.last == "%", let percent = Price(String(text.dropLast()))?.amount else { return nil }
        guard percent.isMultiple(of: 100_000_000) else { return nil }
        millionths = percent / 100_000_000
        guard (1000...10_000_000).contains(millionths) else { return nil }
    }

    /// - Parameters: amounts below 10²⁴, so that the products are below 10³².
    func allows(_ one: UInt128, _ other: UInt128) -> Bool {
        let (small, large) = (min(one, other), max(one, other))
        return (large - small) * 1_000_000 <= small * millionths
    }
}

extension Price {
    /// The price in units of 10⁻¹², which is exact: a price has at most 12 digits on each side of its point.
    var amount: UInt128 {
        utf8.withBytes { digits in
            var (whole, fraction, unit): (UInt64, UInt64, UInt64) = (0, 0, 0)
            for place in digits.indices {
                let byte = digits[place]
                switch (byte, unit) {
                case (UInt8(ascii: "."), _): unit = 1_000_000_000_000
                case (_, 0): whole = whole * 10 + UInt64(byte - UInt8(ascii: "0"))
                default:
                    unit /= 10
                    fraction += unit * UInt64(byte - UInt8(ascii: "0"))
                }
            }
            return UInt128(whole) * 1_000_000_000_000 + UInt128(fraction)
        }
    }
}

extension ValueForm<Tolerance?> {
    /// A tolerance, or nil for `off`.
    static let tolerance = ValueForm(
        "off, or a percentage from 0.1% to 1000%, such as 10%",
        text: { $0 == .usual ? "10%" : "off" },
        parse: { $0 == "off" ? .some(nil) : Tolerance($0).map { .some($0) } })
}
