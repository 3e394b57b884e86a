import Foundation
import PipeCommon

/// A reading as exactly one short line, for status bars. One that got no new quote says so in text.
struct BarView {
    private let time: LocalTimeFormatter
    private let money: MoneyFormatter

    init(_ options: FormatOptions) {
        time = LocalTimeFormatter(format: options.timeFormat, locale: options.locale)
        money = MoneyFormatter(locale: options.locale)
    }

    /// Without its line end.
    func append(_ reading: Reading, to text: inout ByteBuffer) {
        text.appendName(of: reading.pricedSymbol)
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(time.text(quote.timestamp)))") }
    }
}
