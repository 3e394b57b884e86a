import PipeCommon

/// Keeps quotes from one run of the program to the next: one per symbol, and those of candles.
protocol QuoteStore: Sendable {
    /// - Returns: nil when nothing is stored.
    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries?

    /// Stores quotes in one step, except those that are older than the stored ones, or of candles that are closed in
    /// the store.
    func save(_ series: QuoteSeries) throws(StoreError)

    /// Deletes what a run that was killed while it saved has left.
    func sweep()
}

/// What could be loaded.
struct LoadedSeries: Equatable, Sendable {
    let series: QuoteSeries
    /// The reason why a part of what is stored cannot be used.
    var problem: StoreError?
}
