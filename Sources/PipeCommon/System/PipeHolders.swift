/// Kills the processes of this user, and their descendants, that hold an end of a pipe of ours: those that a command
/// has left behind in the background. Other processes inherit no end of our pipes.
///
/// - Parameter descriptors: our ends of the pipes; negative ones are ignored.
/// - Returns: the processes that were found; none on macOS, which has no `/proc`.
@discardableResult public func killHolders(ofPipes descriptors: [Int32]) -> [pid_t] {
    let pipes = Set(descriptors.compactMap { target(ofLink: "/proc/self/fd/\($0)") })
    let holders = entries(of: "/proc").compactMap { pid_t($0) }.filter { process in
        process != getpid() && isOurs("/proc/\(process)")
            && entries(of: "/proc/\(process)/fd").contains { descriptor in
                target(ofLink: "/proc/\(process)/fd/\(descriptor)").map(pipes.contains) ?? false
            }
    }
    for holder in holders { killTree(holder) }
    return holders
}

private func isOurs(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_uid == geteuid()
}

/// What a symbolic link contains, `pipe:[4711]` for a pipe in `/proc`; nil if there is none.
private func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { buffer in
        readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
}
