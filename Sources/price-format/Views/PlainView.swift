import PipeCommon

/// A reading as one line; as two, a banner and the line, when it has no new quote.
struct PlainView: TextView {
    private let wording: Wording
    private let palette: Palette

    init(_ wording: Wording, _ palette: Palette) {
        self.wording = wording
        self.palette = palette
    }

    func append(_ reading: Reading, to text: inout ByteBuffer) {
        if !reading.isFresh { text.append("\(palette.paint(wording.banner(of: reading), .banner))\n") }
        if let quote = reading.quote {
            text.append(wording.time.text(quote.timestamp))
            text.append(" - " as StaticString)
        }
        wording.appendName(of: reading.pricedSymbol, to: &text)
        if let quote = reading.quote {
            wording.money.append(quote, to: &text)
        } else {
            text.append(UInt8(ascii: "-"))
        }
    }
}
