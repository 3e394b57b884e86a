import PipeCommon

/// Stores new quotes (see `LastQuotes`), adds an error flag to every reading, and passes the readings on. If a reading
/// contains no quote, substitutes the last known quote, if there is one and the age limit allows it.
struct CacheLoop {
    /// The longest time that readings wait for the disk thread to load quotes. This limit applies if any of the waiting
    /// readings is for a current price and `lacksQuote` is false. A healthy disk usually needs less time.
    private static let livePatience = Duration.milliseconds(100)
    /// The limit that applies instead if all of the waiting readings are for candles, or if `lacksQuote` is true. The
    /// longer limit makes it less likely that a busy disk leaves a gap in the output.
    private static let loadPatience = Duration.milliseconds(500)
    /// How long failed saves are retried at the end of the input if the cause may be temporary.
    private static let patience = Duration.seconds(5)

    private let diagnostics: Diagnostics
    private var store: BackgroundStore
    private var last: LastQuotes
    /// Whether a quote is required but no reading has contained a quote yet, not even a stored quote. If this is still
    /// true at the end of the input and all input was valid, the exit status is `noQuote`.
    private var lacksQuote: Bool

    init(store: FileQuoteStore, ageLimit: AgeLimit, requiresQuote: Bool, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        self.store = BackgroundStore(diagnostics: diagnostics, perform: store.perform)
        last = LastQuotes(ageLimit: ageLimit)
        lacksQuote = requiresQuote
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

    /// Until the input ends, flags readings, fills in missing quotes where possible and allowed, and writes the
    /// readings. Also saves new quotes at intervals.
    private mutating func pass() throws(StreamError) -> ExitStatus {
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = LiveWriter(diagnostics: diagnostics)
        while readings.isOpen {
            guard try readings.wait(until: store.save(&last)) else { continue }
            try readings.read()
            // The readings that must wait: the first reading just read that needs a quote from the disk, and all
            // readings after it, so that the order is kept.
            var waiting: [Reading] = []
            while var reading = readings.next() {
                let isMissing = last.lacksQuote(for: reading)
                if isMissing { store.load(reading.subject) }
                if isMissing || !waiting.isEmpty {
                    waiting.append(reading)
                } else {
                    try complete(&reading, &output)
                }
            }
            if !waiting.isEmpty {
                let isLive = !lacksQuote && waiting.contains { $0.candle == nil }
                store.awaitLoads(of: &last, patience: isLive ? Self.livePatience : Self.loadPatience)
            }
            for var reading in waiting { try complete(&reading, &output) }
            try output.flush()
        }
        try output.finish()
        return lacksQuote && readings.status == .done ? .noQuote : readings.status
    }

    private mutating func complete(
        _ reading: inout Reading, _ output: inout LiveWriter
    ) throws(StreamError) {
        last.flag(&reading, at: .now())
        if lacksQuote, reading.quote != nil { lacksQuote = false }
        try output.add(reading)
        last.update(reading)
    }
}
