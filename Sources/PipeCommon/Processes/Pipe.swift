#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the system refused, as its error number.
public struct SystemError: Error {
    public let number: Int32
}

/// A pipe whose ends no other program inherits.
public struct Pipe {
    public let readEnd: Int32
    public let writeEnd: Int32

    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() {
        closeDescriptor(readEnd)
        closeDescriptor(writeEnd)
    }
}

func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}
