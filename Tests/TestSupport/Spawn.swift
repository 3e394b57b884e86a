import Foundation

#if canImport(Darwin)
    private let newSession = POSIX_SPAWN_SETSID
#else
    // POSIX_SPAWN_SETSID is in <spawn.h> but not in the Swift module of the C library.
    private let newSession = Int32(0x80)
#endif

/// The lock to hold while a program is started, while pipes or terminals are opened (until they are marked
/// close-on-exec), and while a script is written. Without the lock, a program that is started at the same time could
/// inherit a descriptor of one of these files. For example, a script cannot be run while any process has it open for
/// writing ("Text file busy").
public let starting = NSLock()

/// Starts a program with the given standard streams or, if `terminal` is the path of a terminal, in a new session on
/// that terminal. To find a program on the PATH, start it with `/usr/bin/env`.
func spawn(_ words: [String], _ environment: [String], _ streams: [Int32], session terminal: String? = nil)
    -> pid_t
{
    #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t? = nil
        var attributes: posix_spawnattr_t? = nil
    #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // Some signals are blocked in the threads of a test run, and a child would inherit the signal mask of the thread
    // that starts it.
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    var flags = Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
    if let terminal {
        // The first terminal that a new session opens becomes its controlling terminal.
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        flags |= newSession
    }
    for (target, stream) in streams.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments = words.map { (word: String) in strdup(word) } + [nil]
    var variables = environment.map { (word: String) in strdup(word) } + [nil]
    defer { for word in arguments + variables { free(word) } }
    var process: pid_t = 0
    let failure = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
    precondition(failure == 0, "cannot start \(words): \(String(cString: strerror(failure)))")
    return process
}
