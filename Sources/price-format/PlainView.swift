import Foundation
import PipeCommon

/// A reading as a line for people; as two, with a banner above, when it got no new quote.
struct PlainView {
    private let time: LocalTime
    private let money: Money

    init(timeFormat: String, locale: Locale) {
        time = LocalTime(format: timeFormat, locale: locale)
        money = Money(locale: locale)
    }

    /// - Returns: text without its last line end.
    func text(of reading: Reading) -> String {
        guard !reading.isFresh else { return line(reading) }
        let updated = reading.quote.map { time.text($0.timestamp) } ?? "-"
        return "Failed to update value. Displaying last updated value from \(updated)\n\(line(reading))"
    }

    private func line(_ reading: Reading) -> String {
        let symbol = reading.pricedSymbol
        let name = symbol == .bitcoin ? "" : "\(symbol.text) "
        guard let quote = reading.quote else { return "\(name)-" }
        return "\(time.text(quote.timestamp)) - \(name)\(money.text(quote))"
    }
}
