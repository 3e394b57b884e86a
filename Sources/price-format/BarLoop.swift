import PipeCommon

/// Prints one line per tick, with its symbols side by side.
struct BarLoop: ~Copyable {
    private let view: BarView
    private var readings: RecordReader<Reading>
    private var output: ReadingWriter
    private var ticks = BarTicks()

    init(_ view: BarView, diagnostics: Diagnostics) {
        self.view = view
        readings = RecordReader(diagnostics: diagnostics)
        output = ReadingWriter(diagnostics: diagnostics)
    }

    mutating func run() throws(StreamError) -> ExitStatus {
        while !readings.hasEnded {
            if try readings.wait(until: ticks.deadline) { try readings.read() }
            let now = Deadline.Instant.now
            while let reading = readings.next() {
                for line in ticks.record(reading, at: now) { try add(line) }
            }
            if let line = ticks.expire(at: now) { try add(line) }
            try output.flush()
        }
        if let line = ticks.finish() { try add(line) }
        try output.finish()
        return readings.status
    }

    private mutating func add(_ line: BarTicks.Line) throws(StreamError) {
        try output.add(at: line.readings.last?.at) { [view] in view.append(line, to: &$0) }
    }
}
