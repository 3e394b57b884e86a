import PipeCommon
import Synchronization

/// Remembers what was read from each file, so that a file is read again only when it has changed. An error of the moment
/// is not remembered.
final class LoadedFiles: Sendable {
    private typealias Loaded = Result<LoadedSeries?, StoreError>

    private let files = Mutex<[Subject: (stamp: FileStamp, loaded: Loaded)]>([:])

    /// - Parameter load: reads the file.
    /// - Returns: nil when there is no file.
    func series(
        _ subject: Subject, at path: String, _ load: () throws(StoreError) -> LoadedSeries?
    ) throws(StoreError) -> LoadedSeries? {
        // Before the file is read: if it is replaced meanwhile, it is read again the next time.
        guard let stamp = try FileStamp(of: path) else { return nil }
        if let (known, loaded) = files.withLock({ $0[subject] }), known == stamp { return try loaded.get() }
        let loaded = Result(catching: load)
        if case .failure(let error) = loaded, error.cause != .damaged { throw error }
        files.withLock { $0[subject] = (stamp, loaded) }
        return try loaded.get()
    }
}
