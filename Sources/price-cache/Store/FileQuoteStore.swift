import PipeCommon
import Synchronization

/// Keeps each series of quotes in a separate file. A new version is written to a draft, which then replaces the file
/// atomically. A reader therefore finds either the old quotes or the new quotes, no matter when the program is killed.
/// A file that exists but cannot be read is not replaced.
struct FileQuoteStore: Sendable {
    let location: StoreLocation
    private let files = LoadedFiles()

    init(location: StoreLocation) {
        self.location = location
    }

    /// - Returns: the usable part of the stored series; nil if nothing is stored.
    /// - Throws: an error if the stored file cannot be read, is too large or contains no usable quote.
    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries? {
        guard let path = location.path(of: subject) else { return nil }
        return try load(subject, at: path)
    }

    /// Stores quotes atomically. If a quote of the same symbol or candle is already stored, `Recency` decides which
    /// quote is kept.
    ///
    /// - Parameter isSynced: whether to wait until the new version is on the disk (see `Draft.commit`) before it
    ///   replaces the file, so that a power failure is unlikely to damage the file.
    func save(_ series: QuoteSeries, isSynced: Bool = true) throws(StoreError) {
        guard let path = location.path(of: series.subject) else {
            throw StoreError(reason: "cannot store quotes: no home directory; use --file")
        }
        do throws(StoreError) { try replace(path, by: series, isSynced) } catch {
            // If there is nothing to write, it does not matter that the directory is not writable.
            if try merged(series, at: path) == nil { return }
            // Creates our own directory if it is missing and then tries again. Another program may just have created
            // the directory, so the second attempt is made even if the directory exists.
            guard error.cause == .lasting, location.makeDirectory() else { throw error }
            try replace(path, by: series, isSynced)
        }
    }

    private func replace(_ path: String, by series: QuoteSeries, _ isSynced: Bool) throws(StoreError) {
        var draft = try Draft(of: path)
        guard let merged = try merged(series, at: path) else { return }
        if let stamp = try draft.commit(SeriesText.bytes(of: merged), isSynced) {
            files.record(merged, stamp)
        }
    }

    private func load(_ subject: Subject, at path: String) throws(StoreError) -> LoadedSeries? {
        try files.series(subject, at: path) { () throws(StoreError) in
            try contents(of: subject, at: path)
        }
    }

    /// Deletes the drafts that killed programs have left behind.
    func sweep() {
        for path in location.filesWithDraft { Draft.sweep(path) }
    }

    /// - Returns: the series to write; nil if the stored file is already correct.
    /// - Throws: an error if the stored file must not be replaced: either it cannot be read, or it is unusable and its
    ///   first valid quote belongs to another subject.
    private func merged(_ series: QuoteSeries, at path: String) throws(StoreError) -> QuoteSeries? {
        var stored: LoadedSeries?
        do throws(StoreError) { stored = try load(series.subject, at: path) } catch {
            guard error.cause == .damaged else {
                throw StoreError(cannot: "write", path, error.problem, error.cause)
            }
        }
        var merged = stored?.series ?? QuoteSeries(series.subject)
        merged.merge(series.quotes, at: .now())
        return stored?.series == merged && stored?.problem == nil ? nil : merged
    }

    private func contents(of subject: Subject, at path: String) throws(StoreError) -> LoadedSeries? {
        guard let (bytes, isWhole) = try Self.bytes(at: path, candle: subject.candle) else { return nil }
        do throws(InvalidInput) {
            guard isWhole else {
                throw InvalidInput("too large for \(subject.candle == nil ? "a quote" : "candles")")
            }
            let (series, problem) = try SeriesText.series(subject, in: bytes)
            return LoadedSeries(
                series: series, problem: problem.map { StoreError(cannot: "use all of", path, $0, .damaged) })
        } catch {
            let isOurs = SeriesText.subject(in: bytes).map { $0 == subject } ?? true
            throw StoreError(cannot: "use", path, error.reason, isOurs ? .damaged : .foreign)
        }
    }

    /// - Returns: the content of a file, or only the beginning if the file is too large to be usable; nil if there is
    ///   no file.
    static func bytes(
        at path: String, candle: Candle?
    ) throws(StoreError) -> (bytes: [UInt8], isWhole: Bool)? {
        // A line that we write is at most about 700 bytes long, and we write at most 1,000 lines to a file of candles.
        let most = candle == nil ? 4096 : 1 << 20
        guard let file = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        defer { close(file) }
        guard let status = fileStatus(file) else { throw .failed("read", path, errno) }
        let isWhole = status.st_size < most
        var bytes = [UInt8](repeating: 0, count: isWhole ? Int(status.st_size) : 4096)
        if bytes.isEmpty { return (bytes, isWhole) }
        var count: Int?
        do throws(StreamError) { count = try readBytes(file, into: &bytes, bytes.indices) } catch {
            throw .failed("read", path, error.number)
        }
        guard count == bytes.count else { throw .failed("read", path, EIO) }
        return (bytes, isWhole)
    }
}

/// Caches the contents that were last read from each file or written to it, so that a file is usually read again
/// only if another writer has changed it. Errors are cached only for damaged files.
final class LoadedFiles: Sendable {
    private typealias Loaded = Result<LoadedSeries?, StoreError>

    private let files = Mutex<[Subject: (stamp: FileStamp, loaded: Loaded)]>([:])

    /// - Parameter load: the function that reads the file.
    /// - Returns: the usable part of the series in the file; nil if the file does not exist.
    func series(
        _ subject: Subject, at path: String, _ load: () throws(StoreError) -> LoadedSeries?
    ) throws(StoreError) -> LoadedSeries? {
        // The stamp is taken before the file is read. If the file is replaced between these two steps, the next call
        // reads it again.
        guard let stamp = try FileStamp(of: path) else { return nil }
        if let (known, loaded) = files.withLock({ $0[subject] }), known == stamp { return try loaded.get() }
        let loaded = Result(catching: load)
        if case .failure(let error) = loaded, error.cause != .damaged { throw error }
        files.withLock { $0[subject] = (stamp, loaded) }
        return try loaded.get()
    }

    /// - Parameter stamp: the stamp of the file that was just written.
    func record(_ series: QuoteSeries, _ stamp: FileStamp) {
        files.withLock { $0[series.subject] = (stamp, .success(LoadedSeries(series: series))) }
    }
}

/// The attributes of a file that show whether the file has changed. When its content changes, at least one of these
/// attributes practically always changes as well.
struct FileStamp: Equatable, Sendable {
    private let (device, inode, size): (dev_t, ino_t, off_t)
    private let (modified, changed): (SIMD2<Int>, SIMD2<Int>)

    init(_ status: stat) {
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.modified = SIMD2(modified.tv_sec, modified.tv_nsec)
        self.changed = SIMD2(changed.tv_sec, changed.tv_nsec)
    }

    /// - Returns: nil when the file does not exist.
    /// - Throws: an error if the status cannot be read, or if the path names something other than a regular
    ///   file, such as a link.
    init?(of path: String) throws(StoreError) {
        guard let status = fileStatus(path) else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        guard status.isRegularFile else {
            throw StoreError(cannot: "read", path, "not a regular file")
        }
        self.init(status)
    }
}

/// The usable part of a stored series.
struct LoadedSeries: Equatable, Sendable {
    let series: QuoteSeries
    /// The reason why the first unusable line of the file cannot be used; nil if every line can be used.
    var problem: StoreError?
}

/// The reason why quotes could not be stored, loaded or deleted.
struct StoreError: Error, Equatable {
    enum Cause {
        /// The file was read, but its content is at least partly unusable, so the file may be replaced or deleted.
        case damaged
        /// The file is unusable and its first valid quote belongs to another subject, so the file is left alone.
        case foreign
        /// The next attempt may succeed.
        case passing
        case lasting
    }

    /// The errors that count as temporary, such as a full disk or a lack of descriptors or memory.
    private static let passingNumbers: Set = [
        EIO, ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EBUSY, ETIMEDOUT, ESTALE, ENOLCK,
    ]

    /// The complete message.
    let reason: String
    /// Only the problem, without the operation and the path; the complete message if these were not given separately.
    let problem: String
    let cause: Cause

    init(reason: String, _ cause: Cause = .lasting) {
        (self.reason, problem, self.cause) = (reason, reason, cause)
    }

    init(cannot verb: String, _ path: String, _ problem: String, _ cause: Cause = .lasting) {
        reason = "cannot \(verb) \(path): \(problem)"
        (self.problem, self.cause) = (problem, cause)
    }

    /// - Parameter number: the system's error number.
    static func failed(_ verb: String, _ path: String, _ number: Int32) -> StoreError {
        let cause: Cause = passingNumbers.contains(number) ? .passing : .lasting
        return StoreError(cannot: verb, path, systemMessage(number), cause)
    }

    static func == (left: StoreError, right: StoreError) -> Bool {
        left.reason == right.reason
    }
}
