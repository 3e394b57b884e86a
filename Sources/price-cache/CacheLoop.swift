import PipeCommon

/// Stores each new quote; when there is none, substitutes the last one and sets the error flag. One line in,
/// one line out.
struct CacheLoop {
    /// How long to wait for a reading before checking whether a save has failed.
    private static let pause = Duration.seconds(2)
    /// How long saving is retried at the end of the input.
    private static let patience = Duration.seconds(5)

    private let diagnostics: Diagnostics
    private let store: BackgroundStore
    private var last: LastQuotes

    init(store: any QuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        self.store = BackgroundStore(store, diagnostics: diagnostics)
        last = LastQuotes(ageLimit: ageLimit)
    }

    mutating func run() throws(StreamError) -> ExitStatus {
        store.sweep()
        do throws(StreamError) {
            let status = try pass()
            return store.finish(&last, patience: Self.patience) ? status : .streamFailed
        } catch {
            _ = store.finish(&last, patience: .zero)
            throw error
        }
    }

    /// Completes every reading and passes it on.
    private mutating func pass() throws(StreamError) -> ExitStatus {
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = ReadingWriter(diagnostics: diagnostics)
        while readings.isOpen {
            let isSaved = store.save(&last)
            guard try readings.wait(until: isSaved ? nil : Deadline(in: Self.pause)) else { continue }
            try readings.read()
            while var reading = readings.next() {
                complete(&reading)
                try output.add(reading)
                last.update(reading)
            }
            try output.flush()
        }
        try output.finish()
        return readings.status
    }

    private mutating func complete(_ reading: inout Reading) {
        if reading.quote == nil, last.quote(reading.subject, at: reading.beginning) == nil,
            let stored = store.series(reading.subject)
        {
            last.restore(stored, at: .now())
        }
        last.flag(&reading, at: .now())
    }
}
