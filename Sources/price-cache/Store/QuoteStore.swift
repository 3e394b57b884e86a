import PipeCommon

/// Keeps one quote per symbol from one run of the program to the next.
protocol QuoteStore: Sendable {
    /// - Returns: nil when nothing is stored.
    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote?

    /// Replaces the stored quote of the same symbol in one step, unless the stored one is newer.
    func save(_ quote: StoredQuote) throws(StoreError)

    /// Deletes what a run that was killed while it saved has left.
    func sweep()
}
