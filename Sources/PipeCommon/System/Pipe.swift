/// A pipe whose ends are closed in every program that is started while it is open.
public struct Pipe: Sendable {
    public let readEnd: Int32
    public let writeEnd: Int32

    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() {
        closeDescriptor(readEnd)
        closeWriteEnd()
    }

    public func closeWriteEnd() {
        closeDescriptor(writeEnd)
    }
}

func isPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
}

/// How many bytes a pipe or a socket holds that nobody has read yet; nil when the system cannot tell.
public func unreadByteCount(of descriptor: Int32) -> Int? {
    #if canImport(Darwin)
        // <sys/filio.h> defines it in a way that Swift cannot read.
        let request: UInt = 0x4004_667F
    #else
        let request = UInt(FIONREAD)
    #endif
    var count: Int32 = 0
    return unsafe ioctl(descriptor, request, &count) == 0 ? Int(count) : nil
}
