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
        guard let list = fopen("/proc/\(process)/task/\(process)/children", "re") else { return [] }
        defer { fclose(list) }
        var text = [UInt8](repeating: 0, count: 16 * 1024)
        let count = fread(&text, 1, text.count, list)
        return text[..<count].split(separator: UInt8(ascii: " ")).compactMap {
            pid_t(String(decoding: $0, as: UTF8.self))
        }
    #endif
}
