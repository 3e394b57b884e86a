#if canImport(Darwin)
    import Darwin
    private typealias Attributes = posix_spawnattr_t?
    private typealias FileActions = posix_spawn_file_actions_t?
#else
    // The environment is a global variable of the C library; nobody here writes it while there are other threads.
    @preconcurrency import Glibc
    private typealias Attributes = posix_spawnattr_t
    private typealias FileActions = posix_spawn_file_actions_t
#endif

/// Starts a shell command in the caller's process group, so that Ctrl-C and Ctrl-Z reach it, with every
/// signal at its default and none blocked.
func startShell(_ command: String, input: Int32, output: Int32) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
        var attributes: Attributes = nil
        var actions: FileActions = nil
    #else
        var attributes = Attributes()
        var actions = FileActions()
    #endif
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
    }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

    var words = ["sh", "-c", command].map { (word: String) in strdup(word) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ)
    guard number == 0 else { throw SystemError(number: number) }
    return process
}
