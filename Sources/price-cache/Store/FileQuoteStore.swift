import PipeCommon

/// A file for each quote: written beside, then renamed over the old one, so that a reader finds the old or
/// the new one whole, whenever either of them is killed.
struct FileQuoteStore: QuoteStore {
    /// A stored quote is shorter than this many bytes.
    private static let largest = 4096
    /// What is added to a file's name while it is being written.
    private static let draft = ".tmp"

    let location: StoreLocation

    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote? {
        guard let path = location.path(of: symbol), let bytes = try contents(of: path) else { return nil }
        do throws(InvalidInput) {
            let stored = try StoredQuote(line: bytes)
            guard Checksum.allows(bytes) else { throw InvalidInput("it was changed: its checksum is wrong") }
            guard stored.symbol == symbol else { throw InvalidInput("a quote of \(stored.symbol.text)") }
            return stored
        } catch {
            throw StoreError(reason: "cannot use \(path): \(error.reason)")
        }
    }

    func save(_ quote: StoredQuote) throws(StoreError) {
        guard let path = location.path(of: quote.symbol) else {
            throw StoreError(reason: "cannot store quotes: no home directory")
        }
        if let directory = location.ownDirectory, access(directory, F_OK) != 0 { makeDirectories(directory) }
        let lock = try DirectoryLock(around: path)
        defer { lock.release() }
        // A file that can't be used is no reason to keep it.
        if let kept = try? load(quote.symbol), kept.isNewer(than: quote, at: .now()) { return }
        try replace(path, with: quote)
    }

    func sweep() {
        let drafts = location.neighbours(Self.draft)
        // A writer that is at work holds the lock, and needs its draft.
        guard let first = drafts.first, let lock = try? DirectoryLock(around: first, patience: .zero) else {
            return
        }
        for draft in drafts { unlink(draft) }
        lock.release()
    }

    private func contents(of path: String) throws(StoreError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        defer { close(file) }
        guard isRegular(file) else { throw StoreError(reason: "cannot read \(path): not a regular file") }
        let bytes: [UInt8]?
        do throws(StreamError) { bytes = try readAvailable(file) } catch {
            throw .failed("read", path, error.number)
        }
        guard let bytes, bytes.count < Self.largest else {
            throw StoreError(reason: "cannot use \(path): too large for a quote")
        }
        return bytes
    }

    private func replace(_ path: String, with quote: StoredQuote) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(reason: "cannot write \(path): not a regular file")
        }
        // The lock is ours, so a draft that is there is what a killed program has left.
        let draft = path + Self.draft
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .failed("write", path, errno) }
        defer { close(file) }
        do throws(StreamError) {
            try LineWriter(descriptor: file).write(Checksum.added(to: quote.line))
            guard fsync(file) == 0, rename(draft, path) == 0 else { throw .outputFailed(errno: errno) }
        } catch {
            unlink(draft)
            throw .failed("write", path, error.number)
        }
    }

    private func isRegular(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Each that is missing, from the top; what fails shows when the file is written.
    private func makeDirectories(_ path: String) {
        for end in path.indices.dropFirst() where path[end] == "/" { mkdir(String(path[..<end]), 0o700) }
        mkdir(path, 0o700)
    }
}

/// Holds other writers off the directory of a file, by `flock` on the directory itself.
private struct DirectoryLock {
    private let descriptor: Int32

    /// - Parameter patience: a writer that is slower than this hangs.
    init(around path: String, patience: Duration = .seconds(1)) throws(StoreError) {
        let directory = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) + "/" : "."
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("write", path, errno) }
        let deadline = Deadline(in: patience)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR, !deadline.hasPassed() else {
                close(descriptor)
                throw .failed("write", path, number == EWOULDBLOCK ? ETIMEDOUT : number)
            }
            usleep(5000)
        }
    }

    func release() {
        close(descriptor)
    }
}

extension StoreError {
    fileprivate static func failed(_ verb: String, _ path: String, _ number: Int32) -> StoreError {
        StoreError(reason: "cannot \(verb) \(path): \(systemMessage(number))")
    }
}
