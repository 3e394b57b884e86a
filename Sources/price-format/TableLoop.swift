import PipeCommon

/// Prints readings as the lines of a table, and at the end a line that says from when they are.
struct TableLoop: ~Copyable {
    private var readings: RecordReader<Reading>
    private var output: ReadingWriter
    private var table = Table()
    private var view: TableView

    init(_ view: TableView, diagnostics: Diagnostics) {
        self.view = view
        readings = RecordReader(diagnostics: diagnostics)
        output = ReadingWriter(diagnostics: diagnostics)
    }

    mutating func run() throws(StreamError) -> ExitStatus {
        repeat {
            while let reading = readings.next() { try add(table.record(reading)) }
            if readings.hasEnded { break }
            try output.flush()
            try readOrTimeOut()
        } while true
        try add(table.finish())
        if !table.symbols.isEmpty { try add(view.footer(table, at: .now()), at: nil) }
        try output.finish()
        return readings.status == .done && !table.symbols.isEmpty && !table.hasQuotes
            ? .noQuote : readings.status
    }

    private mutating func add(_ lines: [TableLine]) throws(StreamError) {
        for (time, line) in view.text(lines, table.symbols, at: .now()) { try add(line, at: time) }
    }

    private mutating func add(_ line: String, at time: Timestamp?) throws(StreamError) {
        try output.add(at: time) { $0.append(line) }
    }

    /// Waits for more, but only for a limited time if a line is open.
    private mutating func readOrTimeOut() throws(StreamError) {
        let isReady = try readings.wait(until: table.patience.map { Deadline(in: $0) })
        if isReady { try readings.read() } else { try add(table.finish()) }
    }
}
