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

    /// Without its line end.
    func append(_ reading: Reading, to text: inout TextBuffer) {
        text.appendName(of: reading.pricedSymbol)
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(time.text(quote.timestamp)))") }
    }
}
