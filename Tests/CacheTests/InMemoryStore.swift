import Dispatch
import PipeCommon
import Synchronization

@testable import price_cache

/// A store that is as slow as a test wants it to be, and records what it was asked to save.
final class InMemoryStore: QuoteStore {
    private let quotes = Mutex<[Symbol: StoredQuote]>([:])
    private let saves = Mutex<[StoredQuote]>([])
    private let failure = Mutex<StoreError?>(nil)
    /// Held while the disk hangs.
    private let disk = DispatchSemaphore(value: 1)

    /// The arguments of all calls of `save`.
    var saved: [StoredQuote] { saves.withLock { $0 } }

    func hang() {
        disk.wait()
    }

    func recover() {
        disk.signal()
    }

    func fail(_ reason: String?) {
        failure.withLock { $0 = reason.map(StoreError.init) }
    }

    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote? {
        try use()
        return quotes.withLock { $0[symbol] }
    }

    func save(_ quote: StoredQuote) throws(StoreError) {
        saves.withLock { $0.append(quote) }
        try use()
        quotes.withLock { quotes in
            if let stored = quotes[quote.symbol], Recency.isNewer(stored.quote, than: quote.quote, at: .now())
            {
                return
            }
            quotes[quote.symbol] = quote
        }
    }

    func sweep() {}

    private func use() throws(StoreError) {
        disk.wait()
        disk.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
