/// Cuts the bytes of a descriptor into lines. Holds at most one line of 64 KiB and one piece of input.
///
/// `\n` and `\r\n` end a line; the last line may lack its end.
public struct LineReader {
    public enum Line: Equatable {
        /// A line without its end. To be released before more is read, so that the buffer is not copied.
        case text(ArraySlice<UInt8>)
        /// A line over 64 KiB, whose bytes are not kept.
        case tooLong
    }

    /// The longest line, in bytes without its end.
    public static let limit = 64 * 1024
    private static let largestPiece = 256 * 1024

    /// Left uninitialized, so that unused pages cost no memory.
    private var buffer = [UInt8](unsafeUninitializedCapacity: limit + 2 + largestPiece) { buffer, count in
        count = buffer.count
    }
    private var start = 0
    private var searched = 0
    private var end = 0
    private var isSkipping = false

    public init() {}

    /// Reads what a descriptor holds now, when `next` has nothing left.
    ///
    /// - Returns: false at the end of the input.
    public mutating func read(from descriptor: Int32) throws(StreamError) -> Bool {
        moveToFront()
        let (size, number) = buffer.withUnsafeMutableBytes { [end] buffer in
            let room = min(Self.largestPiece, buffer.count - end)
            let size = readBytes(descriptor, buffer.baseAddress! + end, room)
            return (size, size < 0 ? errno : 0)
        }
        switch number {
        case 0:
            end += size
            return size > 0
        case EINTR, EAGAIN: return true
        default: throw .inputFailed(errno: number)
        }
    }

    private mutating func moveToFront() {
        guard start > 0 else { return }
        buffer.withUnsafeMutableBytes { [start, end] buffer in
            _ = memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
        }
        (start, searched, end) = (0, searched - start, end - start)
    }

    /// The next complete line; nil when more bytes are needed.
    public mutating func next() -> Line? {
        guard let lineEnd = nextLineEnd() else {
            if end - start > Self.limit + 1 {
                isSkipping = true
                start = end
            }
            searched = end
            return nil
        }
        defer {
            start = lineEnd + 1
            searched = start
            isSkipping = false
        }
        return line(start..<lineEnd)
    }

    /// The rest of the input, when no more bytes will arrive.
    public mutating func last() -> Line? {
        guard isSkipping || start < end else { return nil }
        defer { (start, searched, end, isSkipping) = (0, 0, 0, false) }
        return line(start..<end)
    }

    private func nextLineEnd() -> Int? {
        buffer.withUnsafeBytes { buffer in
            memchr(buffer.baseAddress! + searched, Int32(UInt8(ascii: "\n")), end - searched)
                .map { UnsafeRawPointer($0) - buffer.baseAddress! }
        }
    }

    private func line(_ range: Range<Int>) -> Line {
        let hasReturn = !range.isEmpty && buffer[range.upperBound - 1] == UInt8(ascii: "\r")
        let text = hasReturn ? range.dropLast() : range
        return isSkipping || text.count > Self.limit ? .tooLong : .text(buffer[text])
    }
}
