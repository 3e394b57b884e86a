import PipeCommon

/// The next version of a file, kept as a hidden file beside that file until the new version is complete. The draft is
/// locked with `flock`, so it has at most one writer. An unlocked draft was usually left behind by a killed program.
struct Draft: ~Copyable {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    /// The number of bytes that a killed program left in the draft; usually 0.
    private let size: off_t
    private var isCommitted = false

    /// - Parameters:
    ///   - verb: the operation on the file, for error messages.
    ///   - timeout: how long to wait for another writer before an error is thrown.
    init(of path: String, to verb: String = "write", timeout: Duration = .seconds(1)) throws(StoreError) {
        (self.path, draft) = (path, Self.path(of: path))
        let deadline = Deadline(in: timeout)
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        while true {
            guard let file = openFile(draft, flags, mode: 0o600) else { throw .failed(verb, path, errno) }
            let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
            let number = isLocked ? 0 : errno
            if isLocked, let found = Self.status(file, at: draft) {
                (descriptor, size) = (file, found.st_size)
                return
            }
            close(file)
            // By the time we have locked a draft, it may have replaced the file or been deleted. In that case, we try
            // again with a new draft, unless the time is up.
            guard isLocked || number == EWOULDBLOCK || number == EINTR else {
                throw .failed(verb, path, number)
            }
            if deadline.hasPassed() {
                throw StoreError(cannot: verb, path, "another program is writing to it", .passing)
            }
            if !isLocked { usleep(5000) }
        }
    }

    /// Deletes the draft, unless it has replaced the file.
    deinit {
        if !isCommitted, Self.status(descriptor, at: draft) != nil { deleteFile(draft) }
        close(descriptor)
    }

    /// Atomically replaces the contents of the file with these bytes.
    ///
    /// - Parameter isSynced: whether to wait until the bytes are on the disk or, on macOS, in the disk's own cache.
    /// - Returns: the stamp of the new file; nil if its status cannot be read.
    mutating func commit(_ bytes: [UInt8], _ isSynced: Bool) throws(StoreError) -> FileStamp? {
        guard size == 0 || ftruncate(descriptor, 0) == 0, writeAll(bytes),
            !isSynced || fsync(descriptor) == 0, moveFile(draft, to: path)
        else { throw .failed("write", path, errno) }
        isCommitted = true
        return fileStatus(descriptor).map(FileStamp.init)
    }

    /// Deletes the draft and releases the lock, so that the next writer can start.
    consuming func discard() {}

    /// Deletes the draft of a file if a killed program has left the draft behind.
    static func sweep(_ path: String) {
        if exists(Self.path(of: path)) { _ = try? Draft(of: path, timeout: .zero) }
    }

    /// The draft of `quote.json` is `.quote.json.btc-price.tmp`.
    private static func path(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return "\(path[..<start]).\(path[start...])\(suffix)"
    }

    static let suffix = ".btc-price.tmp"

    /// The status of an open file; nil unless the file is a regular file and the path still leads to it.
    private static func status(_ descriptor: Int32, at path: String) -> stat? {
        guard let opened = fileStatus(descriptor), let found = fileStatus(path) else { return nil }
        let isSame = opened.st_ino == found.st_ino && opened.st_dev == found.st_dev
        return isSame && opened.isRegularFile ? opened : nil
    }

    private func writeAll(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = writeBytes(descriptor, bytes.span, from: written)
            if count != -1 { written += count } else if errno != EINTR { return false }
        }
        return true
    }
}
