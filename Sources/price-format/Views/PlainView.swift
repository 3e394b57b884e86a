import PipeCommon

/// A reading as one line; as two, a banner and the line, when it has no new quote. A candle is always one line.
struct PlainView {
    private let wording: Wording
    private let palette: Palette

    init(_ wording: Wording, _ palette: Palette) {
        self.wording = wording
        self.palette = palette
    }

    func append(_ reading: Reading, withDispute: Bool = false, to text: inout ByteBuffer) {
        if reading.candle != nil { return appendCandle(reading, to: &text) }
        if withDispute, let dispute = wording.dispute(of: reading) {
            text.append("\(palette.paint(dispute, .banner))\n")
        }
        if !reading.isFresh { text.append("\(palette.paint(wording.banner(of: reading), .banner))\n") }
        if let quote = reading.quote {
            text.append(wording.text(quote.timestamp, at: reading.at))
            text.append(" - " as StaticString)
        }
        wording.appendName(of: reading.pricedSymbol, to: &text)
        if let quote = reading.quote {
            wording.money.append(quote, to: &text)
        } else {
            text.append(UInt8(ascii: "-"))
        }
    }

    /// One line with the beginning of the candle: its price must not be taken for the price now.
    private func appendCandle(_ reading: Reading, to text: inout ByteBuffer) {
        if let at = reading.at { text.append("\(wording.text(at, at: nil)) - ") }
        wording.appendName(of: reading.pricedSymbol, to: &text)
        text.append("\(reading.candle?.rawValue ?? "") candle ")
        guard let quote = reading.quote else { return text.append(UInt8(ascii: "-")) }
        text.append(reading.isClosedCandle ? "closed at " : "now at ")
        wording.money.append(quote, to: &text)
    }
}
