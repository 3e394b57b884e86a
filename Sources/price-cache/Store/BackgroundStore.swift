import Dispatch
import PipeCommon
import Synchronization

/// A store that works behind the stream's back, so that the disk never delays a line.
final class BackgroundStore: Sendable {
    /// What a disk that is well needs to find a quote, and more.
    private static let patience = DispatchTimeInterval.milliseconds(100)

    private let store: any QuoteStore
    private let diagnostics: Diagnostics
    private let waiting = Mutex<[Symbol: StoredQuote]>([:])
    private let said = Mutex<[Symbol: ChangeFilter]>([:])
    private let queue = DispatchQueue(label: "store")

    init(store: any QuoteStore, diagnostics: Diagnostics) {
        self.store = store
        self.diagnostics = diagnostics
        queue.async { store.sweep() }
    }

    /// Begins to look up what is stored, and waits a moment for it.
    func load(_ symbol: Symbol) -> PendingLoad {
        let load = PendingLoad()
        queue.async { [store] in load.finish(Result { () throws(StoreError) in try store.load(symbol) }) }
        load.wait(Self.patience)
        return load
    }

    /// While one is being saved only the newest of each symbol waits.
    func save(_ quotes: [Symbol: StoredQuote]) {
        guard !quotes.isEmpty else { return }
        let isFirst = waiting.withLock { waiting in
            defer { waiting.merge(quotes) { $1 } }
            return waiting.isEmpty
        }
        if isFirst { queue.async { self.saveWaiting() } }
    }

    /// Returns when all is done.
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
            let news = said.withLock { $0[quote.symbol, default: ChangeFilter()].changed(to: failure) }
            if let news { diagnostics.error(news) }
        }
    }
}

/// A look into the store that may take its time.
final class PendingLoad: Sendable {
    private let found = Mutex<Result<StoredQuote?, StoreError>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    /// Nil while the disk has not answered.
    var result: Result<StoredQuote?, StoreError>? { found.withLock { $0 } }

    fileprivate func finish(_ result: Result<StoredQuote?, StoreError>) {
        found.withLock { $0 = result }
        done.signal()
    }

    fileprivate func wait(_ patience: DispatchTimeInterval) {
        _ = done.wait(timeout: .now() + patience)
    }
}
