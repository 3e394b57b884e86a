import PipeCommon

/// Stores each new quote; when there is none, substitutes the last one and sets the error flag. One line in,
/// one line out.
struct CacheLoop {
    private let diagnostics: Diagnostics
    private let store: BackgroundStore
    private var last: LastQuotes

    init(store: any QuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) throws(SystemError) {
        self.diagnostics = diagnostics
        self.store = try BackgroundStore(store, diagnostics: diagnostics)
        last = LastQuotes(ageLimit: ageLimit)
    }

    mutating func run() throws -> ExitStatus {
        store.sweep()
        defer { store.finish() }
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = ReadingWriter(diagnostics: diagnostics)
        while try readings.readMore() {
            while var reading = readings.next() {
                complete(&reading)
                try output.add(reading)
                last.update(consume reading)
            }
            try output.flush()
            store.save(last.takeUnsaved())
        }
        try output.finish()
        return readings.status
    }

    private mutating func complete(_ reading: inout Reading) {
        if reading.quote == nil, !last.knows(reading.key), let stored = store.series(reading.subject) {
            last.restore(stored, at: .now())
        }
        last.flag(&reading, at: .now())
    }
}
