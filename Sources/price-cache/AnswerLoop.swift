import PipeCommon

/// Answers ticks from the store: with the stored quote while it is fresh, otherwise with a failure of the kind
/// `expired`. If `hasOnlyCandles` is true, ticks for current prices are always answered with such a failure.
///
/// The stored files are read on the main thread. A slow disk does little harm, because price-fallback waits only a
/// limited time for any source.
struct AnswerLoop {
    private let store: FileQuoteStore
    private let freshness: Freshness
    private let hasOnlyCandles: Bool
    private let diagnostics: Diagnostics
    private var problems: [Subject: ChangeFilter] = [:]

    init(_ store: FileQuoteStore, freshness: Freshness, onlyCandles: Bool, diagnostics: Diagnostics) {
        (self.store, self.freshness, self.diagnostics) = (store, freshness, diagnostics)
        hasOnlyCandles = onlyCandles
    }

    mutating func run() throws(StreamError) -> ExitStatus {
        store.sweep()
        var ticks = RecordReader<Tick>(diagnostics: diagnostics)
        var output = LiveWriter(diagnostics: diagnostics)
        var numbering = TickNumbering()
        while try ticks.readMore() {
            while let tick = ticks.next() {
                try output.add(reading(answering: numbering.complete(tick, at: .now())))
            }
            try output.flush()
        }
        try output.finish()
        return ticks.status
    }

    private mutating func reading(answering tick: Tick) -> Reading {
        if hasOnlyCandles, tick.candle == nil {
            return Freshness.expired(tick, "the store answers only ticks for candles")
        }
        var (loaded, failure): (LoadedSeries?, StoreError?) = (nil, nil)
        do throws(StoreError) { loaded = try store.load(tick.subject) } catch { failure = error }
        report(failure ?? loaded?.problem, of: tick.subject)
        let stored = loaded?.series[tick.candle == nil ? nil : tick.at]
        return freshness.reading(answering: tick, with: stored, at: .now())
            ?? Freshness.expired(tick, stored, problem: failure?.problem)
    }

    private mutating func report(_ problem: StoreError?, of subject: Subject) {
        guard problem != nil || problems[subject] != nil else { return }
        let changed = problems[subject, default: ChangeFilter()].changed(to: problem?.reason)
        if let changed { diagnostics.warning(changed) }
    }
}
