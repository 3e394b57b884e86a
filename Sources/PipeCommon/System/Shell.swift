#if canImport(Darwin)
    private typealias Attributes = posix_spawnattr_t?
    private typealias FileActions = posix_spawn_file_actions_t?
#else
    private typealias Attributes = posix_spawnattr_t
    private typealias FileActions = posix_spawn_file_actions_t
#endif

/// Starts a shell command in the caller's process group, so that Ctrl-C and Ctrl-Z reach it. No signal is blocked in it.
///
/// - Parameter errors: its standard error.
func startShell(_ command: String, input: Int32, output: Int32, errors: Int32) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
        var (attributes, actions): (Attributes, FileActions) = (nil, nil)
    #else
        var (attributes, actions) = (Attributes(), FileActions())
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // Only those that `Filter` ignores: what our caller ignores (nohup) the command ignores too.
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    var words = ["sh", "-c", command].map { (word: String) in strdup(word) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, inheritedEnvironment())
    guard number == 0 else { throw SystemError(number: number) }
    return process
}

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
    guard let list = opendir(folder) else { return [] }
    defer { closedir(list) }
    var names: [String] = []
    while let entry = readdir(list) {
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names
}

private func processes(in path: String) -> [pid_t] {
    guard let list = fopen(path, "re") else { return [] }
    defer { fclose(list) }
    var text = [UInt8](repeating: 0, count: 16 * 1024)
    let count = fread(&text, 1, text.count, list)
    return text[..<count].split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
    }
}
