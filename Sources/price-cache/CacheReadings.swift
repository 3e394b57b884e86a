import PipeCommon

/// Stores the last quote, or stands it in and sets the error flag: a line out for each line in.
struct CacheReadings {
    private let store: any QuoteStore
    private let saver: QuoteSaver
    private let diagnostics: Diagnostics
    private var last: LastQuotes
    private var said: [Symbol: SaidOnChange] = [:]

    init(store: any QuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) {
        self.store = store
        self.diagnostics = diagnostics
        saver = QuoteSaver(store: store, diagnostics: diagnostics)
        last = LastQuotes(ageLimit: ageLimit)
    }

    mutating func run() throws -> ExitStatus {
        defer { saver.finish() }
        var readings = RecordLines<Reading>(diagnostics: diagnostics)
        var output = LiveOutput(diagnostics: diagnostics)
        while try readings.readMore() {
            while var reading = readings.next() {
                if let quote = StoredQuote(of: reading) {
                    last.remember(quote)
                } else {
                    recall(reading.pricedSymbol)
                }
                last.flag(&reading, at: .now())
                try output.add(reading)
            }
            try output.flush()
            saver.save(last.takeNew())
        }
        try output.finish()
        return readings.status
    }

    /// Takes the quote of an earlier run from the store, where this run has none yet.
    private mutating func recall(_ symbol: Symbol) {
        guard !last.knows(symbol) else { return }
        var trouble: String?
        do throws(StoreError) {
            if let stored = try store.load(symbol) { last.recall(stored) }
        } catch {
            trouble = error.reason
        }
        if let news = said[symbol, default: SaidOnChange()].news(trouble) { diagnostics.warning(news) }
    }
}
