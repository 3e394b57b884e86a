import Foundation
import PipeCommon

/// A reading as a line for people; as two, with a banner above, when it got no new quote.
struct PlainView {
    private let time: LocalTimeFormatter
    private let money: MoneyFormatter
    private let palette: Palette

    init(_ options: FormatOptions, _ palette: Palette) {
        time = LocalTimeFormatter(format: options.timeFormat, locale: options.locale)
        money = MoneyFormatter(locale: options.locale)
        self.palette = palette
    }

    /// Without its last line end.
    func append(_ reading: Reading, to text: inout ByteBuffer) {
        if !reading.isFresh { text.append("\(palette.paint(banner(of: reading), .banner))\n") }
        if let quote = reading.quote {
            text.append(time.text(quote.timestamp))
            text.append(" - " as StaticString)
        }
        text.appendName(of: reading.pricedSymbol)
        if let quote = reading.quote {
            money.append(quote, to: &text)
        } else {
            text.append(UInt8(ascii: "-"))
        }
    }

    func banner(of reading: Reading) -> String {
        let updated = reading.quote.map { time.text($0.timestamp) } ?? "-"
        return "Failed to update value. Displaying last updated value from \(updated)"
    }
}

extension ByteBuffer {
    /// What a line begins with when it is not of bitcoin.
    mutating func appendName(of symbol: Symbol) {
        if symbol != .bitcoin { append("\(symbol.text) ") }
    }
}
