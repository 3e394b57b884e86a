import PipeCommon

/// Keeps one quote a symbol from one run to the next.
protocol QuoteStore: Sendable {
    /// - Returns: nil when nothing is stored.
    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote?

    /// Takes away what a run that was killed in the middle of a save has left.
    func sweep()

    /// Replaces what is stored in one step, unless that is newer.
    func save(_ quote: StoredQuote) throws(StoreError)
}

/// Why a quote could not be stored or read, in words for a person.
struct StoreError: Error, Equatable {
    let reason: String
}
