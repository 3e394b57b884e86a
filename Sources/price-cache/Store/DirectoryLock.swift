import PipeCommon

/// Keeps other writers out of the directory of a file, by `flock` on the directory itself.
struct DirectoryLock {
    private let descriptor: Int32

    /// - Parameter timeout: how long to wait for another writer. A writer that takes longer hangs.
    init(around path: String, timeout: Duration = .seconds(1)) throws(StoreError) {
        let directory = path.contains("/") ? String(path[..<path.lastIndex(of: "/")!]) + "/" : "."
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed("write", path, errno) }
        let deadline = Deadline(in: timeout)
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
