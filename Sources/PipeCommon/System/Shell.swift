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
    // Only those that `Filter` ignores: what our caller ignores (nohup) the command ignores too.
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
