import PipeCommon
import Synchronization

/// Caches what was read from each file or written to it, so that a file is read again only after another
/// writer has changed it. The only errors that are cached are those of damaged files.
final class LoadedFiles: Sendable {
    private typealias Loaded = Result<LoadedSeries?, StoreError>

    private let files = Mutex<[Subject: (stamp: FileStamp, loaded: Loaded)]>([:])

    /// - Parameter load: reads the file.
    /// - Returns: nil when there is no file.
    func series(
        _ subject: Subject, at path: String, _ load: () throws(StoreError) -> LoadedSeries?
    ) throws(StoreError) -> LoadedSeries? {
        // Taken before the file is read: if the file is replaced in the meantime, it is read again the next
        // time.
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

/// The attributes that change when a file's content changes.
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
    /// - Throws: also if the path leads to anything but a regular file. A link is not followed.
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
