import PipeCommon

/// The next version of a file, which is hidden beside it until it is complete. It is locked with `flock`, so at most
/// one writer has it. A draft that is not locked was left by a program that was killed.
struct Draft: ~Copyable {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    /// What a program that was killed has left in it, in bytes.
    private let size: off_t
    private var isCommitted = false

    /// - Parameters:
    ///   - verb: what is to be done with the file, for an error.
    ///   - timeout: how long to wait for another writer. A writer that takes longer hangs.
    init(of path: String, to verb: String = "write", timeout: Duration = .seconds(1)) throws(StoreError) {
        (self.path, draft) = (path, Self.path(of: path))
        let deadline = Deadline(in: timeout)
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        while true {
            let file = openFile(draft, flags, mode: 0o600)
            guard file >= 0 else { throw .failed(verb, path, errno) }
            let isLocked = flock(file, LOCK_EX | LOCK_NB) == 0
            let number = isLocked ? 0 : errno
            if isLocked, let found = Self.status(file, at: draft) {
                (descriptor, size) = (file, found.st_size)
                return
            }
            close(file)
            // A draft that we have locked may have become the file, or be gone. Then there is a new one to lock.
            guard isLocked || number == EWOULDBLOCK || number == EINTR else {
                throw .failed(verb, path, number)
            }
            if deadline.hasPassed() {
                throw StoreError(cannot: verb, path, "another program is writing it", .passing)
            }
            if !isLocked { usleep(5000) }
        }
    }

    /// Deletes the draft, unless it has become the file.
    deinit {
        if !isCommitted, Self.status(descriptor, at: draft) != nil { deleteFile(draft) }
        close(descriptor)
    }

    /// Replaces the file by these bytes in one step.
    ///
    /// - Returns: the stamp of the new file; nil if it cannot be found out.
    mutating func commit(_ bytes: [UInt8]) throws(StoreError) -> FileStamp? {
        guard size == 0 || ftruncate(descriptor, 0) == 0, writeAll(bytes), fsync(descriptor) == 0,
            moveFile(draft, to: path)
        else { throw .failed("write", path, errno) }
        isCommitted = true
        return fileStatus(descriptor).map(FileStamp.init)
    }

    /// Lets the next writer have the file.
    consuming func discard() {}

    /// Deletes the draft of a file if a program that was killed has left one.
    static func sweep(_ path: String) {
        if exists(Self.path(of: path)) { _ = try? Draft(of: path, timeout: .zero) }
    }

    /// `quote.json` has the draft `.quote.json.btc-price.tmp`, a name that nobody else uses.
    private static func path(of path: String) -> String {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return "\(path[..<start]).\(path[start...])\(suffix)"
    }

    static let suffix = ".btc-price.tmp"

    /// - Returns: nil if a path does not lead to an open file.
    private static func status(_ descriptor: Int32, at path: String) -> stat? {
        guard let opened = fileStatus(descriptor), let found = fileStatus(path) else { return nil }
        let isSame = opened.st_ino == found.st_ino && opened.st_dev == found.st_dev
        return isSame && opened.isRegularFile ? opened : nil
    }

    private func writeAll(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = writeBytes(descriptor, bytes.span, from: written)
            if count >= 0 { written += count } else if errno != EINTR { return false }
        }
        return true
    }
}
