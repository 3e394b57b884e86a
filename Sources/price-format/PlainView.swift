import Foundation
import PipeCommon

/// A reading as a line for people; as two, with a banner above, when it got no new quote.
struct PlainView {
    private let time: LocalTime
    private let money: Money
    private let palette: Palette

    init(_ options: FormatOptions, _ palette: Palette) {
        time = LocalTime(format: options.timeFormat, locale: options.locale)
        money = Money(locale: options.locale)
        self.palette = palette
    }

    /// - Returns: text without its last line end.
    func text(of reading: Reading) -> String {
        reading.isFresh ? line(reading) : "\(palette.paint(banner(of: reading), .banner))\n\(line(reading))"
    }

    func banner(of reading: Reading) -> String {
        let updated = reading.quote.map { time.text($0.timestamp) } ?? "-"
        return "Failed to update value. Displaying last updated value from \(updated)"
    }

    private func line(_ reading: Reading) -> String {
        let symbol = reading.pricedSymbol
        let name = symbol == .bitcoin ? "" : "\(symbol.text) "
        guard let quote = reading.quote else { return "\(name)-" }
        return "\(time.text(quote.timestamp)) - \(name)\(money.text(quote))"
    }
}
