import Foundation
import PipeCommon

/// A reading as exactly one short line, for status bars. One that got no new quote says so in text.
struct BarView {
    private let time: LocalTime
    private let money: Money

    init(_ options: FormatOptions) {
        time = LocalTime(format: options.timeFormat, locale: options.locale)
        money = Money(locale: options.locale)
    }

    /// - Returns: text without its line end.
    func text(of reading: Reading) -> String {
        let symbol = reading.pricedSymbol
        let name = symbol == .bitcoin ? "" : "\(symbol.text) "
        guard let quote = reading.quote else { return "\(name)- (no price)" }
        let age = reading.isFresh ? "" : " (stale: \(time.text(quote.timestamp)))"
        return name + money.text(quote) + age
    }
}
