/// Whether the tests run on Linux, with its `/proc`.
#if os(Linux)
    public let isLinux = true
#else
    public let isLinux = false
#endif
