import PipeCommon

/// Stores the last quote, or stands it in and sets the error flag: a line out for each line in.
struct CacheLoop {
    private let store: BackgroundStore
    private let diagnostics: Diagnostics
    private var last: LastQuotes
    private var loads: [Symbol: PendingLoad] = [:]
    private var said: [Symbol: ChangeFilter] = [:]

    init(store: any QuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        self.store = BackgroundStore(store: store, diagnostics: diagnostics)
        last = LastQuotes(ageLimit: ageLimit)
    }

    mutating func run() throws -> ExitStatus {
        defer { store.finish() }
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = ReadingWriter(diagnostics: diagnostics)
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
            store.save(last.takeNew())
        }
        try output.finish()
        return readings.status
    }

    /// Takes the quote of an earlier run from the store, where this run has none yet.
    private mutating func recall(_ symbol: Symbol) {
        guard !last.knows(symbol) else { return }
        let load = loads[symbol] ?? store.load(symbol)
        loads[symbol] = load.result == nil ? load : nil
        var trouble: String?
        switch load.result {
        case nil: trouble = "the disk has not given the stored quote of \(symbol.text) yet"
        case .failure(let error): trouble = error.reason
        case .success(let stored): if let stored { last.recall(stored) }
        }
        if let news = said[symbol, default: ChangeFilter()].changed(to: trouble) { diagnostics.warning(news) }
    }
}
