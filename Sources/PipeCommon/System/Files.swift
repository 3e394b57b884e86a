/// Opens a file, with flags such as `O_RDONLY`.
///
/// - Parameter mode: the permissions of the file if it is created, before the umask is applied.
/// - Returns: the descriptor; nil on failure, with the reason in `errno`.
public func openFile(_ path: String, _ flags: Int32, mode: UInt16 = 0) -> Int32? {
    let descriptor = unsafe open(path, flags, mode_t(mode))
    return descriptor == -1 ? nil : descriptor
}

/// The status of a file, as `lstat` reports it. If the path is a symbolic link, this is the status of the link itself.
///
/// - Returns: nil on failure, with the reason in `errno`.
public func fileStatus(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
}

/// The status of an open file; nil on failure.
public func fileStatus(_ descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
}

extension stat {
    public var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// Whether a descriptor refers to a regular file.
public func isFile(_ descriptor: Int32) -> Bool {
    fileStatus(descriptor)?.isRegularFile == true
}

/// - Returns: false on failure, with the reason in `errno`.
@discardableResult public func deleteFile(_ path: String) -> Bool {
    unsafe unlink(path) == 0
}

/// Moves a file. If a file exists at the new path, it is replaced atomically.
///
/// - Returns: false on failure, with the reason in `errno`.
public func moveFile(_ path: String, to other: String) -> Bool {
    unsafe rename(path, other) == 0
}

/// Whether a file or a directory exists at this path. The result is also false if this user may not search one of the
/// parent directories.
public func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
}

/// Creates a directory that only this user may access. Does nothing if the directory exists. A failure is not reported.
public func createDirectory(_ path: String) {
    _ = unsafe mkdir(path, 0o700)
}

/// The names in a directory, including "." and "..". If reading fails halfway, the remaining names are missing.
///
/// - Returns: nil if the directory cannot be opened, with the reason in `errno`.
public func names(in directory: String) -> [String]? {
    guard let list = unsafe opendir(directory) else { return nil }
    defer { unsafe closedir(list) }
    var names: [String] = []
    while let entry = unsafe readdir(list) {
        unsafe names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names
}

/// The target of a symbolic link, truncated to 64 bytes; nil if the link cannot be read. In `/proc`, the link for a
/// pipe's descriptor has a target such as `pipe:[4711]`.
func target(ofLink path: String) -> String? {
    var bytes = uninitializedBytes(64)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    return count == -1 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
}

/// The bytes of a file in `/proc`; nil if the file cannot be opened.
func contents(of path: String) -> [UInt8]? {
    guard let file = openFile(path, O_RDONLY | O_CLOEXEC) else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    while let more = try? readAvailable(file), !more.isEmpty { bytes += more }
    return bytes
}
