import PipeCommon

/// Prints readings as the lines of a table, and at the end a line that says from when they are.
struct TableLines: LineStyle {
    private var table = Table()
    private var view: TableView

    init(_ view: TableView) {
        self.view = view
    }

    var deadline: Deadline? { table.deadline }

    mutating func record(_ reading: Reading, at now: Deadline.Instant, to output: inout ReadingWriter)
        throws(StreamError)
    {
        try add(table.record(reading, at: now), to: &output)
    }

    mutating func expire(at now: Deadline.Instant, to output: inout ReadingWriter) throws(StreamError) {
        try add(table.expire(at: now), to: &output)
    }

    mutating func finish(to output: inout ReadingWriter) throws(StreamError) -> ExitStatus {
        try add(table.finish(), to: &output)
        if table.symbols.isEmpty { return .done }
        let footer = view.footer(table, at: .now())
        try output.add(at: nil) { $0.append(footer) }
        return table.hasQuotes ? .done : .noQuote
    }

    private mutating func add(_ lines: [TableLine], to output: inout ReadingWriter) throws(StreamError) {
        if lines.isEmpty { return }
        for (time, line) in view.text(lines, table.symbols, at: .now()) {
            try output.add(at: time) { $0.append(line) }
        }
    }
}
