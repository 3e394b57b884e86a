import PipeCommon

/// The allowed difference between two prices of a symbol, as a fraction of the lower price. A tolerance of 10% allows
/// the prices 100 and 110. Prices are compared with exact decimal arithmetic. Pure.
struct Tolerance: Equatable, Sendable {
    /// The default, 10%.
    static let usual = Tolerance(millionths: 100_000)

    private let millionths: Int32

    private init(millionths: Int32) {
        self.millionths = millionths
    }

    /// - Parameter text: a percentage from 0.1% to 1000%, with at most twelve decimals. Only the first four decimals
    ///   may differ from 0.
    init?(_ text: String) {
        guard text.last == "%", let percent = Price(String(text.dropLast()))?.units else { return nil }
        guard percent.isMultiple(of: 100_000_000) else { return nil }
        guard (1000...10_000_000).contains(percent / 100_000_000) else { return nil }
        millionths = Int32(percent / 100_000_000)
    }

    var half: Tolerance { Tolerance(millionths: millionths / 2) }

    /// Whether the difference between two prices is within the tolerance. Each price is given in units of 10⁻¹² and is
    /// below 10²⁴ units, so the products are below 10³² and fit into `Int128`.
    func allows(_ one: Int128, _ other: Int128) -> Bool {
        let (small, large) = (min(one, other), max(one, other))
        return (large - small) * 1_000_000 <= small * Int128(millionths)
    }
}

extension ValueForm<Tolerance?> {
    /// A tolerance, or nil for `off`.
    static let tolerance = ValueForm(
        "off, or a percentage from 0.1% to 1000%, such as 10%",
        text: { $0 == .usual ? "10%" : "off" },
        parse: { $0 == "off" ? .some(nil) : Tolerance($0).map { .some($0) } })
}
