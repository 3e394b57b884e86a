import PipeCommon
import Synchronization

/// Uses a store on a thread of its own, so that the disk never delays a line. A problem with a series is
/// reported when it begins or changes. Quotes that could not be saved are marked again, and are then part of
/// the next save.
final class BackgroundStore: Sendable {
    private typealias Loaded = Result<LoadedSeries?, StoreError>

    private struct State {
        /// The results that have not been taken yet; nil for a series that is still being loaded.
        var loads: [Subject: Loaded?] = [:]
        var isSaving = false
        /// The subjects that the last save could not store, with the errors.
        var failures: [(subject: Subject, error: StoreError)] = []
        var nextSave = Deadline(.now)
        var loadProblems: [Subject: ChangeFilter] = [:]
        var saveProblems: [Subject: ChangeFilter] = [:]
    }

    /// How long to wait for a quote to load: longer than a healthy disk needs.
    private static let patience = Duration.milliseconds(100)

    /// The pause between two saves. More frequent saves would only wear out the disk. At one tick per second,
    /// every quote is saved for up to nine symbols; with more, at most ten files are saved per second, but
    /// every file at least every five seconds.
    private static func pause(after saved: Int) -> Duration {
        min(max(.milliseconds(900), .milliseconds(100) * saved), .seconds(5))
    }

    private let store: any QuoteStore
    private let diagnostics: Diagnostics
    private let state = Mutex(State())
    let thread = DiskThread()

    init(_ store: any QuoteStore, diagnostics: Diagnostics) {
        self.store = store
        self.diagnostics = diagnostics
    }

    /// Deletes what earlier runs have left behind.
    func sweep() {
        thread.add { [store] in store.sweep() }
    }

    /// The stored quotes; nil if there are none, if they cannot be used, or if the disk is too slow to load
    /// them now.
    func series(_ subject: Subject) -> QuoteSeries? {
        let loaded = load(subject)
        let problem: String? =
            switch loaded {
            case nil: "still loading the stored \(subject.words); the disk is slow"
            case .failure(let error): error.reason
            case .success(let loaded): loaded?.problem?.reason
            }
        let changed = state.withLock {
            $0.loadProblems[subject, default: ChangeFilter()].changed(to: problem)
        }
        if let changed { diagnostics.warning(changed) }
        return try? loaded?.get()?.series
    }

    /// Starts saving the marked quotes, unless a save is in progress or the pause after the last one is not
    /// over.
    ///
    /// - Returns: whether there is nothing left to save.
    func save(_ quotes: inout LastQuotes, at now: Deadline.Instant = .now) -> Bool {
        if state.withLock({ $0.isSaving }) { return false }
        _ = markFailures(in: &quotes)
        guard quotes.hasUnsaved else { return true }
        if state.withLock({ $0.nextSave.hasPassed(at: now) }) {
            let unsaved = quotes.takeUnsaved()
            state.withLock { $0.nextSave = Deadline(in: Self.pause(after: unsaved.count), from: now) }
            save(unsaved)
        }
        return false
    }

    /// Saves the marked quotes, and waits until they are saved. A temporary failure is retried.
    ///
    /// - Parameter patience: the time for retries.
    /// - Returns: whether everything is stored.
    func finish(_ quotes: inout LastQuotes, patience: Duration) -> Bool {
        let deadline = Deadline(in: patience)
        thread.wait()
        var failures = markFailures(in: &quotes)
        while quotes.hasUnsaved {
            save(quotes.takeUnsaved())
            thread.wait()
            failures = markFailures(in: &quotes)
            guard failures.contains(where: { $0.cause == .passing }), !deadline.hasPassed() else { break }
            usleep(50_000)
        }
        return failures.isEmpty
    }

    /// - Returns: nil while the series is being loaded.
    private func load(_ subject: Subject) -> Loaded? {
        let (isLoading, isDiskBusy) = state.withLock { state in
            defer { if state.loads[subject] == nil { state.loads[subject] = .some(nil) } }
            return (state.loads[subject] != nil, state.loads.values.contains { $0 == nil })
        }
        if !isLoading {
            thread.add { [self] in
                let result = Result { () throws(StoreError) in try store.load(subject) }
                state.withLock { $0.loads[subject] = result }
            }
            // If the disk is still busy with another series, there is no further wait.
            if !isDiskBusy { thread.wait(atMost: Self.patience) }
        }
        return state.withLock { state in
            guard let result = state.loads[subject] ?? nil else { return nil }
            state.loads[subject] = nil
            return result
        }
    }

    private func save(_ unsaved: [QuoteSeries]) {
        if unsaved.isEmpty { return }
        state.withLock { $0.isSaving = true }
        thread.add { [self] in
            for series in unsaved { save(series) }
            state.withLock { $0.isSaving = false }
        }
    }

    private func save(_ series: QuoteSeries) {
        var failure: StoreError?
        do throws(StoreError) { try store.save(series) } catch { failure = error }
        let changed = state.withLock { state in
            if let failure { state.failures.append((series.subject, failure)) }
            return state.saveProblems[series.subject, default: ChangeFilter()].changed(to: failure?.reason)
        }
        if let changed { diagnostics.error(changed) }
    }

    private func markFailures(in quotes: inout LastQuotes) -> [StoreError] {
        let failures = state.withLock { state in
            defer { state.failures = [] }
            return state.failures
        }
        for (subject, _) in failures { quotes.markUnsaved(subject) }
        return failures.map(\.error)
    }
}
