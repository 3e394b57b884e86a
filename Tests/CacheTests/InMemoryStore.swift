import Dispatch
import PipeCommon
import Synchronization

@testable import price_cache

/// A store in memory that can hang or fail, and that records each save.
final class InMemoryStore: Sendable {
    private let stored = Mutex<[Subject: QuoteSeries]>([:])
    private let saves = Mutex<[QuoteSeries]>([])
    private let failure = Mutex<StoreError?>(nil)
    /// Held while the disk hangs.
    private let disk = DispatchSemaphore(value: 1)

    /// The arguments of all calls to `save`.
    var saved: [QuoteSeries] { saves.withLock { $0 } }

    func hang() {
        disk.wait()
    }

    func recover() {
        disk.signal()
    }

    func fail(_ reason: String?, _ cause: StoreError.Cause = .lasting) {
        failure.withLock { $0 = reason.map { StoreError(reason: $0, cause) } }
    }

    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries? {
        try use()
        return stored.withLock { $0[subject] }.map { LoadedSeries(series: $0) }
    }

    func save(_ series: QuoteSeries) throws(StoreError) {
        saves.withLock { $0.append(series) }
        try use()
        stored.withLock {
            $0[series.subject, default: QuoteSeries(series.subject)].merge(series.quotes, at: .now())
        }
    }

    @Sendable func perform(_ job: Disk.Job) -> Disk.Event? {
        switch job {
        case .sweep: return nil
        case .load(let subject):
            do throws(StoreError) { return .loaded(subject, try load(subject), nil) } catch {
                return .loaded(subject, nil, error)
            }
        case .save(let series, _):
            do throws(StoreError) { try save(series) } catch { return .saved(series.subject, error) }
            return .saved(series.subject, nil)
        }
    }

    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote? {
        try load(Subject(symbol))?.series[nil]
    }

    func save(_ quote: StoredQuote) throws(StoreError) {
        try save(QuoteSeries(quote))
    }

    private func use() throws(StoreError) {
        disk.wait()
        disk.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
