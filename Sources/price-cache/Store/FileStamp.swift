import PipeCommon

/// What changes with the content of a file.
struct FileStamp: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let size: off_t
    private let times: [Int]

    /// - Returns: nil when the file does not exist.
    /// - Throws: also if something else is in its place. A link is not followed.
    init?(of path: String) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(cannot: "read", path, "not a regular file")
        }
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        times = [modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec]
    }
}
