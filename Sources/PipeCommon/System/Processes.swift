/// Kills a process and all its descendants. A command shares its caller's process group, so the group cannot be
/// killed instead.
func killTree(_ process: pid_t) {
    // Stopped first, so that it starts nothing new meanwhile.
    kill(process, SIGSTOP)
    for child in children(of: process) { killTree(child) }
    kill(process, SIGKILL)
}

private func children(of process: pid_t) -> [pid_t] {
    #if canImport(Darwin)
        var children = [pid_t](repeating: 0, count: 1024)
        let count = proc_listchildpids(process, &children, Int32(children.count * MemoryLayout<pid_t>.size))
        return Array(children.prefix(Int(max(0, count))))
    #else
        // Each thread lists the processes that it has started.
        return entries(of: "/proc/\(process)/task").flatMap { thread in
            processes(in: "/proc/\(process)/task/\(thread)/children")
        }
    #endif
}

/// The names in a folder, "." and ".." among them; none if it cannot be read.
func entries(of folder: String) -> [String] {
    guard let list = unsafe opendir(folder) else { return [] }
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

private func processes(in path: String) -> [pid_t] {
    guard let list = unsafe fopen(path, "re") else { return [] }
    defer { unsafe fclose(list) }
    var text = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe fread(&text, 1, text.count, list)
    return text[..<count].split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
    }
}

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
    return unsafe stat(path, &information) == 0 && information.st_uid == geteuid()
}

/// What a symbolic link contains, `pipe:[4711]` for a pipe in `/proc`; nil if there is none.
private func target(ofLink path: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe readlink(path, buffer.bindMemory(to: CChar.self).baseAddress!, buffer.count)
    }
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
}
