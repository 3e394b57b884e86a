import PipeCommon
import Synchronization

/// Remembers what was loaded from each file, so that a file is read again only when it has changed.
final class LoadedFiles: Sendable {
    typealias Loaded = Result<LoadedSeries?, StoreError>

    private let files = Mutex<[String: (stamp: FileStamp, loaded: Loaded)]>([:])

    /// - Parameter load: reads the file.
    /// - Returns: nil when there is no file.
    func series(at path: String, _ load: () -> Loaded) throws(StoreError) -> LoadedSeries? {
        // Before the file is read: if it is replaced meanwhile, it is read again the next time.
        guard let stamp = FileStamp(of: path) else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        if let (known, loaded) = files.withLock({ $0[path] }), known == stamp { return try loaded.get() }
        let loaded = load()
        files.withLock { $0[path] = (stamp, loaded) }
        return try loaded.get()
    }
}
