/// Writes each line immediately, with a single system call if the descriptor accepts the whole line.
public struct LineWriter: Sendable {
    private let descriptor: Int32

    public static let standardOutput = LineWriter(descriptor: STDOUT_FILENO)

    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes a line and its line end. Returns when everything has been written, however slow the reader is.
    ///
    /// - Throws: `.readerGone` if the reader is gone; `.outputFailed` if the write fails for another reason.
    public func write(_ line: some Sequence<UInt8>) throws(StreamError) {
        try writeAll((Array(line) + [UInt8(ascii: "\n")]).span)
    }

    /// Writes bytes unchanged, without adding a line end.
    func writeAll(_ bytes: Span<UInt8>) throws(StreamError) {
        var written = 0
        while written < bytes.count {
            let count = writeBytes(descriptor, bytes, from: written)
            switch count == -1 ? errno : 0 {
            case 0: written += count
            case EINTR: continue
            case EAGAIN: _ = wait(for: descriptor, POLLOUT)
            case EPIPE: throw .readerGone
            case let number: throw .outputFailed(errno: number)
            }
        }
    }
}
