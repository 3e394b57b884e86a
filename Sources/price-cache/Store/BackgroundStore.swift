import PipeCommon
import Synchronization

/// Uses a store on a thread of its own, so that the disk never delays a line. A problem with a series is
/// reported when it begins or changes.
final class BackgroundStore: Sendable {
    private typealias Loaded = Result<LoadedSeries?, StoreError>

    private struct State {
        /// The results that were not fetched yet; nil for a series that is still being loaded.
        var loads: [Subject: Loaded?] = [:]
        /// The newest quote of each symbol and candle since the last save began.
        var unsaved: [Subject: QuoteSeries] = [:]
        var isSaving = false
        var nextSave = Deadline(.now)
        var problems: [Subject: ChangeFilter] = [:]
    }

    /// Longer than a healthy disk needs to load a quote.
    private static let patience = Duration.milliseconds(100)

    /// Between two saves. A faster rhythm would only wear the disk out; at one tick per second every quote of up to nine
    /// symbols is saved, and ten files per second of more symbols.
    private static func pause(after saved: Int) -> Duration {
        min(max(.milliseconds(900), .milliseconds(100) * saved), .seconds(5))
    }

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

    /// The stored quotes; nil if there are none, or if the disk is too slow to load them now.
    func series(_ name: Subject) -> QuoteSeries? {
        let loaded = load(name)
        let problem: String? =
            switch loaded {
            case nil: "still loading the stored \(name.words); the disk is slow"
            case .failure(let error): error.reason
            case .success(let loaded): loaded?.problem?.reason
            }
        report(problem, of: name, by: diagnostics.warning)
        return try? loaded?.get()?.series
    }

    /// Saves quotes immediately, or with a later call, when the pause after the last save is over.
    func save(_ new: [Subject: QuoteSeries], at now: Deadline.Instant = .now) {
        let isDue = state.withLock { state in
            for (name, series) in new { state.unsaved[name, default: QuoteSeries(name)].update(series) }
            guard !state.unsaved.isEmpty, !state.isSaving, state.nextSave.hasPassed(at: now) else {
                return false
            }
            state.nextSave = Deadline(in: Self.pause(after: state.unsaved.count), from: now)
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

    /// - Returns: nil while the series is being loaded.
    private func load(_ name: Subject) -> Loaded? {
        let (isLoading, isDiskBusy) = state.withLock { state in
            defer { if state.loads[name] == nil { state.loads[name] = .some(nil) } }
            return (state.loads[name] != nil, state.loads.values.contains { $0 == nil })
        }
        if !isLoading {
            thread.add { [self] in
                let result = Result { () throws(StoreError) in try store.load(name) }
                state.withLock { $0.loads[name] = result }
            }
            // A disk that is still busy with another series is not waited for again.
            if !isDiskBusy { thread.wait(atMost: Self.patience) }
        }
        return state.withLock { state in
            guard let result = state.loads[name] ?? nil else { return nil }
            state.loads[name] = nil
            return result
        }
    }

    private func saveUnsaved() {
        let unsaved = state.withLock { state in
            defer { state.unsaved = [:] }
            return state.unsaved.values
        }
        defer { state.withLock { $0.isSaving = false } }
        for series in unsaved {
            let result = Result { () throws(StoreError) in try store.save(series) }
            let problem: String? = if case .failure(let error) = result { error.reason } else { nil }
            report(problem, of: series.name, by: diagnostics.error)
        }
    }

    private func report(_ problem: String?, of name: Subject, by report: (String) -> Void) {
        let changed = state.withLock { $0.problems[name, default: ChangeFilter()].changed(to: problem) }
        if let changed { report(changed) }
    }
}
