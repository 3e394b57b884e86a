import PipeCommon

/// The readings of a tick as exactly one short line, for status bars. A stale price is marked in words.
struct BarView {
    private let wording: Wording

    init(_ wording: Wording) {
        self.wording = wording
    }

    func append(_ line: BarTicks.Line, to text: inout ByteBuffer) {
        for (index, reading) in line.readings.enumerated() {
            if index > 0 { text.append("  " as StaticString) }
            append(reading, isNamed: line.areNamed, to: &text)
        }
    }

    private func append(_ reading: Reading, isNamed: Bool, to text: inout ByteBuffer) {
        if isNamed || reading.pricedSymbol != .bitcoin { text.append("\(reading.pricedSymbol.text) ") }
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        wording.money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(wording.time.text(quote.timestamp)))") }
    }
}
