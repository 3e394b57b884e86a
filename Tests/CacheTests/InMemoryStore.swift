import Dispatch
import PipeCommon
import Synchronization

@testable import price_cache

/// A store in memory that can hang or fail, and that records each save.
final class InMemoryStore: Sendable {
    private struct State {
        var stored: [Subject: QuoteSeries] = [:]
        var saved: [(series: QuoteSeries, isSynced: Bool)] = []
        var failure: StoreError?
    }

    private let state = Mutex(State())
    /// Locked while the disk hangs.
    private let disk = DispatchSemaphore(value: 1)

    /// The arguments of all saves, including saves that hang or fail.
    var saved: [(series: QuoteSeries, isSynced: Bool)] { state.withLock { $0.saved } }

    func hang() { disk.wait() }

    func recover() { disk.signal() }

    func fail(_ reason: String?, _ cause: StoreError.Cause = .lasting) {
        state.withLock { $0.failure = reason.map { StoreError(reason: $0, cause) } }
    }

    subscript(subject: Subject) -> QuoteSeries? {
        get { state.withLock { $0.stored[subject] } }
        set { state.withLock { $0.stored[subject] = newValue } }
    }

    @Sendable func perform(_ job: Disk.Job) -> Disk.Event? {
        if case .save(let series, let sync) = job { state.withLock { $0.saved.append((series, sync)) } }
        disk.wait()
        disk.signal()
        return state.withLock { state in
            switch job {
            case .sweep: return nil
            case .load(let subject):
                let stored = state.failure == nil ? state.stored[subject] : nil
                return .loaded(subject, stored.map { LoadedSeries(series: $0) }, state.failure)
            case .save(let series, _):
                if state.failure == nil {
                    state.stored[series.subject, default: QuoteSeries(series.subject)]
                        .merge(series.quotes, at: .now())
                }
                return .saved(series.subject, state.failure)
            }
        }
    }
}
