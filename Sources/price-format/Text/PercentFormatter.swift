import PipeCommon

/// Writes changes with their sign and two decimals: `+1.84 %`.
struct PercentFormatter {
    private let numbers: NumberFormatter

    init(locale: ICULocale) {
        numbers = NumberFormatter(locale, ".00")
    }

    func text(_ change: PercentChange) -> String {
        let sign = change.direction == .up ? "+" : change.direction == .down ? "-" : ""
        let fraction = change.hundredths % 100
        let digits = numbers.text("\(change.hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)")
        return "\(sign)\(digits) %"
    }
}
