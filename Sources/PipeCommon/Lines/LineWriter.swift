/// Writes each line with one system call, as soon as it is known.
public struct LineWriter: Sendable {
    private let descriptor: Int32

    public static let standardOutput = LineWriter(descriptor: STDOUT_FILENO)

    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns when all of the line is written, however slow its reader is.
    public func write(_ line: some Sequence<UInt8>) throws(StreamError) {
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        try bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) in
            try writeAll(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Writes bytes as they are, without a line end.
    public func writeAll(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeBytes(descriptor, rest.baseAddress, rest.count)
            switch count < 0 ? errno : 0 {
            case 0: rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw .readerGone
            case let number: throw .outputFailed(errno: number)
            }
        }
    }

    private func waitUntilWritable() {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&polled, 1, -1)
    }
}
