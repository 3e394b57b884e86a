import Dispatch
import PipeCommon
import Synchronization

/// Saves quotes behind the stream's back, so that the disk never delays a line. While one is being saved
/// only the newest of each symbol waits.
final class QuoteSaver: Sendable {
    private let store: any QuoteStore
    private let diagnostics: Diagnostics
    private let waiting = Mutex<[Symbol: StoredQuote]>([:])
    private let said = Mutex<[Symbol: SaidOnChange]>([:])
    private let queue = DispatchQueue(label: "quote-saver")

    init(store: any QuoteStore, diagnostics: Diagnostics) {
        self.store = store
        self.diagnostics = diagnostics
        queue.async { store.sweep() }
    }

    func save(_ quotes: [Symbol: StoredQuote]) {
        guard !quotes.isEmpty else { return }
        let isFirst = waiting.withLock { waiting in
            defer { waiting.merge(quotes) { $1 } }
            return waiting.isEmpty
        }
        if isFirst { queue.async { self.saveWaiting() } }
    }

    /// Returns when all is saved.
    func finish() {
        queue.sync {}
    }

    private func saveWaiting() {
        let quotes = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values
        }
        for quote in quotes {
            let failure: String?
            do throws(StoreError) {
                try store.save(quote)
                failure = nil
            } catch {
                failure = error.reason
            }
            let news = said.withLock { $0[quote.symbol, default: SaidOnChange()].news(failure) }
            if let news { diagnostics.error(news) }
        }
    }
}
