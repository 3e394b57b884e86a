/// A pipe whose ends are closed in every program that is started while it is open.
public struct Pipe: Sendable {
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
        closeWriteEnd()
    }

    public func closeWriteEnd() {
        closeDescriptor(writeEnd)
    }
}
