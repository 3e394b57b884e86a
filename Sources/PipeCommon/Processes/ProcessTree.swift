#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Ends a process and all that it has started and that has started in turn. A command of ours shares its
/// caller's process group, so its group can't be used for that.
public func killTree(_ process: pid_t) {
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
        // Each of its threads has those that it has started.
        guard let threads = opendir("/proc/\(process)/task") else { return [] }
        defer { closedir(threads) }
        var children: [pid_t] = []
        while let thread = readdir(threads) {
            let name = withUnsafeBytes(of: &thread.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            children += numbers(in: "/proc/\(process)/task/\(name)/children")
        }
        return children
    #endif
}

private func numbers(in path: String) -> [pid_t] {
    guard let list = fopen(path, "re") else { return [] }
    defer { fclose(list) }
    var text = [UInt8](repeating: 0, count: 16 * 1024)
    let count = fread(&text, 1, text.count, list)
    return text[..<count].split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
    }
}
