import PipeCommon

/// Loads and saves quotes on a separate thread if possible, so that a slow disk does not delay the output for long. A
/// problem with loading or saving a series is reported when it begins or changes. Quotes that could not be saved are
/// marked as unsaved again, so that the next save includes them.
struct BackgroundStore {
    private struct Problem: Hashable {
        let subject: Subject
        let isOfLoading: Bool
    }

    /// If more files than this are saved together, the save does not wait for the files to reach the disk. Waiting for
    /// many files would delay the end of the program.
    private static let mostSynced = 10

    /// The shortest time from the start of one save to the start of the next, except in `finish`. More frequent saves
    /// would wear out the disk. The time is 100 ms for each saved file, but at least 900 ms and at most five seconds.
    /// Therefore, if at most nine files are saved together and each file's quotes arrive at least 900 ms apart, every
    /// quote is usually saved.
    private static func pause(after saved: Int) -> Duration {
        min(max(.milliseconds(900), .milliseconds(100) * saved), .seconds(5))
    }

    /// How long to wait for input before checking whether a save in progress has ended.
    private static let interval = Duration.seconds(1)

    /// How long a load may take before the disk is reported as slow. On a busy machine with a healthy disk, a load may
    /// take longer than readings wait for it.
    private static let slowLoad = Duration.seconds(1)

    private let diagnostics: Diagnostics
    let disk: Disk
    /// The subjects that are being loaded or that the next `awaitLoads` will load, each with the time from which its
    /// load counts as slow.
    private var loading: [Subject: Deadline] = [:]
    /// The subjects that the next `awaitLoads` will load.
    private var wanted: [Subject] = []
    /// Whether the disk has been reported as slow since it last finished all loads.
    private var isSlow = false
    /// When to report that the disk is slow; nil if nothing is being loaded or the report has been made.
    private var slowReport: Deadline? { isSlow ? nil : loading.values.min() }
    /// The number of series that are being saved.
    private var saving = 0
    private var nextSave = Deadline(.now)
    /// The problems with the latest load and the latest save of each series.
    private var problems: [Problem: String] = [:]

    init(diagnostics: Diagnostics, perform: @escaping Disk.Perform) {
        self.diagnostics = diagnostics
        disk = Disk(perform)
    }

    /// Deletes the drafts that killed programs have left behind.
    func sweep() {
        disk.post([.sweep])
    }

    /// Requests the stored quotes of a subject. The next `awaitLoads` loads them unless they are already being loaded.
    mutating func load(_ subject: Subject) {
        guard loading[subject] == nil else { return }
        loading[subject] = Deadline(in: Self.slowLoad)
        wanted.append(subject)
    }

    /// Starts to load the requested quotes, waits for them, and records the quotes that have been loaded. Does not wait
    /// if an earlier load is unfinished, because the disk may be hung.
    ///
    /// - Parameter patience: the longest wait for the disk thread.
    mutating func awaitLoads(of quotes: inout LastQuotes, patience: Duration) {
        // Records the quotes of earlier loads that have finished.
        _ = receive(&quotes, until: Deadline(.now))
        let isBusy = loading.count > wanted.count
        if !wanted.isEmpty { disk.post(wanted.map { .load($0) }) }
        wanted = []
        _ = receive(&quotes, until: Deadline(in: isBusy ? .zero : patience))
    }

    /// Starts saving the marked quotes, unless a save is in progress or it is too early for the next save. Reports slow
    /// loads.
    ///
    /// - Returns: when to call this function again; nil if nothing is left to save and no load is left that may be
    ///   reported as slow.
    mutating func save(_ quotes: inout LastQuotes, at now: Deadline.Instant = .now) -> Deadline? {
        _ = receive(&quotes, until: Deadline(now))
        if saving == 0 {
            guard quotes.hasUnsaved else { return slowReport }
            guard nextSave.hasPassed(at: now) else { return slowReport.map { min($0, nextSave) } ?? nextSave }
            save(quotes.takeUnsaved())
            nextSave = Deadline(in: Self.pause(after: saving), from: now)
        }
        return Deadline(in: Self.interval, from: now)
    }

    /// Waits until all loads are finished; then saves the marked quotes. Retries after a temporary failure.
    ///
    /// - Parameter patience: how long to retry after temporary failures, counted from the call.
    /// - Returns: whether everything is stored.
    mutating func finish(_ quotes: inout LastQuotes, patience: Duration) -> Bool {
        let deadline = Deadline(in: patience)
        _ = receive(&quotes, until: slowReport ?? Deadline(.now))
        var failures = receive(&quotes)
        while quotes.hasUnsaved {
            save(quotes.takeUnsaved())
            failures = receive(&quotes)
            guard failures.contains(where: { $0.cause == .passing }), !deadline.hasPassed() else { break }
            usleep(50_000)
        }
        return failures.isEmpty
    }

    private mutating func save(_ unsaved: [QuoteSeries]) {
        saving = unsaved.count
        disk.post(unsaved.map { .save($0, isSynced: unsaved.count <= Self.mostSynced) })
    }

    /// Waits for the disk thread and handles its results. If there is a deadline, also reports slow loads.
    ///
    /// - Parameter deadline: when to stop waiting for unfinished jobs; nil to wait until all jobs are done.
    /// - Returns: the errors of the saves that failed.
    private mutating func receive(
        _ quotes: inout LastQuotes, until deadline: Deadline? = nil
    ) -> [StoreError] {
        var failures: [StoreError] = []
        disk.wait(until: deadline)
        for event in disk.events() {
            switch event {
            case .loaded(let subject, let loaded, let problem):
                loading[subject] = nil
                if let loaded { quotes.restore(loaded.series, at: .now()) }
                if let changed = change(of: Problem(subject: subject, isOfLoading: true), to: problem) {
                    diagnostics.warning(changed)
                }
            case .saved(let subject, let problem):
                saving -= 1
                if let problem {
                    quotes.markUnsaved(subject)
                    failures.append(problem)
                }
                if let changed = change(of: Problem(subject: subject, isOfLoading: false), to: problem) {
                    diagnostics.error(changed)
                }
            }
        }
        if loading.isEmpty { isSlow = false }
        if let due = slowReport, let deadline, due <= deadline {
            diagnostics.warning("loading stored quotes is taking longer than a second; the disk is slow")
            isSlow = true
        }
        return failures
    }

    private mutating func change(of problem: Problem, to error: StoreError?) -> String? {
        defer { problems[problem] = error?.reason }
        return problems[problem] == error?.reason ? nil : error?.reason
    }
}

/// A thread that carries out jobs on the disk and collects their results as events. With Dispatch instead of a thread,
/// the process would need more memory. Neither starting nor waking the thread requires a file descriptor, so both work
/// even if the process cannot open any more files.
final class Disk: Sendable {
    enum Job: Sendable {
        case sweep
        case load(Subject)
        case save(QuoteSeries, isSynced: Bool)
    }

    enum Event: Sendable {
        /// The loaded quotes, if any, and the reason if some or all of the stored quotes could not be loaded.
        case loaded(Subject, LoadedSeries?, StoreError?)
        case saved(Subject, StoreError?)
    }

    /// A function that carries out a job on the disk and returns the event to report; nil after a sweep.
    typealias Perform = @Sendable (Job) -> Event?

    private struct Mail {
        var jobs: [Job] = []
        var isWorking = false
        var isStarted = false
        var events: [Event] = []
    }

    private let perform: Perform
    private let mail = Monitor(Mail())

    init(_ perform: @escaping Perform) {
        self.perform = perform
    }

    func post(_ jobs: [Job]) {
        let isStarted = mail.withLock { mail in
            mail.isStarted = mail.isStarted || startThread { self.work() }
            if mail.isStarted { mail.jobs += jobs }
            return mail.isStarted
        }
        mail.notify()
        // If the thread cannot be started, the calling thread does the jobs, and a slow disk may delay the output.
        if !isStarted { jobs.forEach(carryOut) }
    }

    /// Waits until all jobs are done, or until the deadline.
    func wait(until deadline: Deadline? = nil) {
        _ = mail.wait(until: deadline) { $0.jobs.isEmpty && !$0.isWorking ? true : nil }
    }

    /// The results since the last call.
    func events() -> [Event] {
        mail.withLock { mail in
            defer { mail.events = [] }
            return mail.events
        }
    }

    private func carryOut(_ job: Job) {
        if let event = perform(job) { mail.withLock { $0.events.append(event) } }
    }

    private func work() {
        while true {
            let jobs = mail.wait { mail -> [Job]? in
                defer { mail.jobs = [] }
                mail.isWorking = !mail.jobs.isEmpty
                return mail.isWorking ? mail.jobs : nil
            }
            for job in jobs ?? [] { carryOut(job) }
            mail.withLock { $0.isWorking = false }
            mail.notify()
        }
    }
}

extension FileQuoteStore {
    /// Carries out a job of `BackgroundStore`.
    @Sendable func perform(_ job: Disk.Job) -> Disk.Event? {
        switch job {
        case .sweep:
            sweep()
            return nil
        case .load(let subject):
            do throws(StoreError) {
                let loaded = try load(subject)
                return .loaded(subject, loaded, loaded?.problem)
            } catch { return .loaded(subject, nil, error) }
        case .save(let series, let isSynced):
            do throws(StoreError) { try save(series, isSynced: isSynced) } catch {
                return .saved(series.subject, error)
            }
            return .saved(series.subject, nil)
        }
    }
}
