import PipeCommon

/// Bounds what this process may hold, whatever a server sends: URLSession goes on reading an endless body for a
/// while after it was told to stop. Beyond the limit the process dies, and whoever keeps it starts it anew.
enum MemoryLimit {
    /// What the program itself may hold, in bytes: several times what it needs.
    private static let heap: rlim_t = 80 << 20
    /// Their stacks count in full, although they are hardly touched. There are 5, and 7 when it is busy; what is
    /// counted for more, an endless body would fill.
    private static let threads: rlim_t = 6

    static func set() {
        #if os(Linux)
            var stack = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
            let size = stack.rlim_cur == .max ? 2 << 20 : stack.rlim_cur
            var limit = rlimit(rlim_cur: heap + threads * size, rlim_max: heap + threads * size)
            setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        #endif
    }
}
