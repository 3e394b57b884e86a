#if canImport(Darwin)
    private typealias Attributes = posix_spawnattr_t?
    private typealias FileActions = posix_spawn_file_actions_t?
#else
    private typealias Attributes = posix_spawnattr_t
    private typealias FileActions = posix_spawn_file_actions_t
#endif

/// Starts a shell command in this process's process group, so that Ctrl-C and Ctrl-Z reach it. No signal is blocked in
/// the new process.
///
/// - Parameter errors: the descriptor that becomes the command's standard error.
func startShell(_ command: String, input: Int32, output: Int32, errors: Int32) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
        var (attributes, actions): (Attributes, FileActions) = (nil, nil)
    #else
        var (attributes, actions) = unsafe (Attributes(), FileActions())
    #endif
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawn_file_actions_init(&actions)
    defer {
        unsafe posix_spawnattr_destroy(&attributes)
        unsafe posix_spawn_file_actions_destroy(&actions)
    }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    // Restores the default action only for the signals that `Filter` ignores. SIGHUP, for example, stays ignored if it
    // was ignored when this program started, as under `nohup`.
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe sigaddset(&signals, SIGXFSZ)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    var words = unsafe ["sh", "-c", command].map { (word: String) in unsafe strdup(word) } + [nil]
    defer { for place in 0..<3 { unsafe free(words[place]) } }
    var process: pid_t = 0
    let number = unsafe posix_spawn(
        &process, "/bin/sh", &actions, &attributes, &words, inheritedEnvironment())
    guard number == 0 else { throw SystemError(number: number) }
    return process
}

/// The status of a child that has ended, as `waitpid` reports it.
///
/// - Returns: nil while the child is running; 0 if there is no such child.
func status(ofChild process: pid_t) -> Int32? {
    var status: Int32 = 0
    return unsafe waitpid(process, &status, WNOHANG) == 0 ? nil : status
}

/// Kills a process and its descendants. If one of these processes has already ended, its own descendants may not be
/// found. The process group is not killed as a whole, because this program belongs to it as well.
func killTree(_ process: pid_t) {
    // The process is stopped first, so that it cannot start further processes in the meantime.
    kill(process, SIGSTOP)
    for child in children(of: process) { killTree(child) }
    kill(process, SIGKILL)
}

private func children(of process: pid_t) -> [pid_t] {
    #if canImport(Darwin)
        var children = [pid_t](repeating: 0, count: 1024)
        let size = Int32(children.count * MemoryLayout<pid_t>.size)
        let count = unsafe proc_listchildpids(process, &children, size)
        return Array(children.prefix(Int(max(0, count))))
    #else
        // `/proc` lists the child processes of each thread separately.
        let threads = names(in: "/proc/\(process)/task") ?? []
        return threads.flatMap { thread in
            let children = contents(of: "/proc/\(process)/task/\(thread)/children") ?? []
            return children.split(separator: UInt8(ascii: " ")).compactMap {
                pid_t(String(decoding: $0, as: UTF8.self))
            }
        }
    #endif
}

/// A mark in the environment of every process that this program starts after the mark is created. Descendants of those
/// processes inherit the mark unless it is removed from their environment.
public struct ProcessMark {
    private static let name = "PRICE_FALLBACK_MARK"

    private let text: [UInt8]

    public init() {
        // The process ID and the time make the mark unique.
        let now = reading(of: monotonicClock)
        let own = "btc-price-\(getpid())-\(now.tv_sec)-\(now.tv_nsec)."
        // This pipeline may itself be a source in another pipeline, so the other pipeline's mark is kept.
        let outer = unsafe getenv(Self.name).map { unsafe String(cString: $0) + ":" } ?? ""
        unsafe setenv(Self.name, outer + own, 1)
        text = Array(own.utf8)
    }

    /// Whether a process is known to carry the mark. Always false on macOS, which has no `/proc`.
    func isOn(_ process: pid_t) -> Bool {
        let environment = contents(of: "/proc/\(process)/environ") ?? []
        return environment.indices.contains { place in
            environment[place] == text[0] && environment[place...].starts(with: text)
        }
    }
}

/// On Linux, kills each process that is known to carry our mark and to have one of our pipes open, together with its
/// descendants. An example is a background process that one of our commands has left behind. Other processes that have
/// one of our pipes open are left alone, for example an already running `ssh` to which a command passed its
/// descriptors. Does nothing on macOS.
///
/// - Parameter descriptors: our ends of the pipes; negative descriptors are ignored.
public func killHolders(ofPipes descriptors: [Int32], _ mark: ProcessMark) {
    let pipes = Set(descriptors.compactMap { target(ofLink: "/proc/self/fd/\($0)") })
    var holders: [pid_t] = []
    for process in (names(in: "/proc") ?? []).compactMap({ pid_t($0) })
    where process != getpid() && mark.isOn(process) {
        let files = (names(in: "/proc/\(process)/fd") ?? []).compactMap {
            target(ofLink: "/proc/\(process)/fd/\($0)")
        }
        guard !pipes.isDisjoint(with: files) else { continue }
        // All are stopped before any is killed; otherwise, a shell might report that its command was killed. A command
        // can be found before its shell, because process IDs wrap around.
        kill(process, SIGSTOP)
        holders.append(process)
    }
    for process in holders { killTree(process) }
}
