import PipeCommon
import Synchronization

/// Uses a store on a thread of its own, so that the disk never delays a line. A problem with a symbol is
/// reported when it begins or changes.
final class BackgroundStore: Sendable {
    private typealias Loaded = Result<StoredQuote?, StoreError>

    private struct State {
        /// The results that were not fetched yet; nil for a quote that is still being loaded.
        var loads: [Symbol: Loaded?] = [:]
        /// The newest quote of each symbol since the last save began.
        var unsaved: [Symbol: StoredQuote] = [:]
        var isSaving = false
        var nextSave = Deadline(.now)
        var problems: [Symbol: ChangeFilter] = [:]
    }

    /// Longer than a healthy disk needs to load a quote.
    private static let patience = Duration.milliseconds(100)

    /// Between two saves. A faster rhythm would only wear the disk out; at one tick per second every quote is saved.
    private static let pause = Duration.milliseconds(900)

    private let store: any QuoteStore
    private let diagnostics: Diagnostics
    private let state = Mutex(State())
    private let thread: DiskThread

    init(_ store: any QuoteStore, diagnostics: Diagnostics) throws(SystemError) {
        self.store = store
        self.diagnostics = diagnostics
        thread = try DiskThread()
    }

    /// Deletes what earlier runs have left.
    func sweep() {
        thread.add { [store] in store.sweep() }
    }

    /// The stored quote of a symbol; nil if there is none, or if the disk is too slow to load it now.
    func quote(for symbol: Symbol) -> StoredQuote? {
        let loaded = load(symbol)
        let problem: String? =
            switch loaded {
            case nil: "still loading the stored quote for \(symbol.text); the disk is slow"
            case .failure(let error): error.reason
            case .success: nil
            }
        report(problem, of: symbol, by: diagnostics.warning)
        return try? loaded?.get()
    }

    /// Saves quotes immediately, or with a later call, when the pause after the last save is over.
    func save(_ quotes: [Symbol: StoredQuote], at now: Deadline.Instant = .now) {
        let isDue = state.withLock { state in
            state.unsaved.merge(quotes) { $1 }
            guard !state.unsaved.isEmpty, !state.isSaving, state.nextSave.hasPassed(at: now) else {
                return false
            }
            state.nextSave = Deadline(in: Self.pause, from: now)
            state.isSaving = true
            return true
        }
        if isDue { thread.add(saveUnsaved) }
    }

    /// Saves what is not saved yet, and waits for it.
    func finish() {
        thread.add(saveUnsaved)
        thread.wait()
    }

    /// - Returns: nil while the quote is being loaded.
    private func load(_ symbol: Symbol) -> Loaded? {
        let (isLoading, isDiskBusy) = state.withLock { state in
            defer { if state.loads[symbol] == nil { state.loads[symbol] = .some(nil) } }
            return (state.loads[symbol] != nil, state.loads.values.contains { $0 == nil })
        }
        if !isLoading {
            thread.add { [self] in
                let result = Result { () throws(StoreError) in try store.load(symbol) }
                state.withLock { $0.loads[symbol] = result }
            }
            // A disk that is still busy with another symbol is not waited for again.
            if !isDiskBusy { thread.wait(atMost: Self.patience) }
        }
        return state.withLock { state in
            guard let result = state.loads[symbol] ?? nil else { return nil }
            state.loads[symbol] = nil
            return result
        }
    }

    private func saveUnsaved() {
        let quotes = state.withLock { state in
            defer { state.unsaved = [:] }
            return state.unsaved.values
        }
        defer { state.withLock { $0.isSaving = false } }
        for quote in quotes {
            let result = Result { () throws(StoreError) in try store.save(quote) }
            let problem: String? = if case .failure(let error) = result { error.reason } else { nil }
            report(problem, of: quote.symbol, by: diagnostics.error)
        }
    }

    private func report(_ problem: String?, of symbol: Symbol, by report: (String) -> Void) {
        let changed = state.withLock { $0.problems[symbol, default: ChangeFilter()].changed(to: problem) }
        if let changed { report(changed) }
    }
}
