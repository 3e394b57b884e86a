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
        while let reading = try readings.next() {
            let quote = StoredQuote(of: reading)
            if let quote { last.remember(quote) } else { recall(reading.pricedSymbol) }
            try output.write(last.flagged(reading, at: .now()).line, of: reading.at)
            if let quote { saver.save(quote) }
        }
        try output.finish()
        return readings.status
    }

    /// Takes the quote of an earlier run from the store, where this run has none yet.
    private mutating func recall(_ symbol: Symbol) {
        guard !last.knows(symbol) else { return }
        var trouble: String?
        do throws(StoreError) {
            if let stored = try store.load(symbol) { last.remember(stored) }
        } catch {
            trouble = error.reason
        }
        if let news = said[symbol, default: SaidOnChange()].news(trouble) { diagnostics.warning(news) }
    }
}
