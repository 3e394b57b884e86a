import PipeCommon

/// A reading as exactly one short line, for status bars. A stale price is marked in words.
struct BarView: TextView {
    private let wording: Wording

    init(_ wording: Wording) {
        self.wording = wording
    }

    func append(_ reading: Reading, to text: inout ByteBuffer) {
        wording.appendName(of: reading.pricedSymbol, to: &text)
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        wording.money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(wording.time.text(quote.timestamp)))") }
    }
}
