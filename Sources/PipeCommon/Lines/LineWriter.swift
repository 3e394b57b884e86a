/// Writes each line with one write, as soon as it is known.
public struct LineWriter: Sendable {
    private let descriptor: Int32

    public static let standardOutput = LineWriter(descriptor: STDOUT_FILENO)

    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Returns when all of it is written, however slow the reader is.
    public func write(_ line: some Sequence<UInt8>) throws(StreamError) {
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        try bytes.withUnsafeBufferPointer { (bytes) throws(StreamError) in
            try writeAll(UnsafeRawBufferPointer(bytes))
        }
    }

    /// The same for bytes that are no line.
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
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
    }
}
