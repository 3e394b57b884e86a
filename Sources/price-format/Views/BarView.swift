import PipeCommon

/// The readings of a beat as exactly one short line, for status bars. A stale or disputed price is marked in words.
struct BarView: LineStyle {
    private let wording: Wording
    private var lines = BarLines()

    init(_ wording: Wording) {
        self.wording = wording
    }

    var deadline: Deadline? { lines.deadline }

    mutating func record(_ reading: Reading, at now: Deadline.Instant, to output: inout ReadingWriter)
        throws(StreamError)
    {
        let due = lines.record(reading, at: now)
        if !due.isEmpty { try add(due, to: &output) }
    }

    mutating func expire(at now: Deadline.Instant, to output: inout ReadingWriter) throws(StreamError) {
        try add(lines.expire(at: now), to: &output)
    }

    mutating func finish(to output: inout ReadingWriter) throws(StreamError) -> ExitStatus {
        try add(lines.finish(), to: &output)
        return .done
    }

    private func add(_ lines: [BarLines.Line], to output: inout ReadingWriter) throws(StreamError) {
        for line in lines { try output.add(at: line.at) { append(line, to: &$0) } }
    }

    func append(_ line: BarLines.Line, to text: inout ByteBuffer) {
        for (index, reading) in line.readings.enumerated() {
            if index > 0 { text.append("  " as StaticString) }
            append(reading, isNamed: line.areNamed, to: &text)
        }
    }

    private func append(_ reading: Reading, isNamed: Bool, to text: inout ByteBuffer) {
        if isNamed || reading.pricedSymbol != .bitcoin { text.append("\(reading.pricedSymbol.text) ") }
        guard let quote = reading.quote else { return text.append("- (no price)" as StaticString) }
        wording.money.append(quote, to: &text)
        if !reading.isFresh { text.append(" (stale: \(wording.text(quote.timestamp, at: reading.at)))") }
        if reading.isDisputed { text.append(" (disputed)" as StaticString) }
    }
}
