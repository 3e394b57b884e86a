/// Cuts bytes, in whatever pieces they arrive, into lines. Holds no more than one line of 64 KiB and one piece.
///
/// `\n` and `\r\n` end a line; a last line may lack its end.
public struct LineReader {
    public enum Line: Equatable {
        /// Without its end; to be let go of before more is read.
        case text(ArraySlice<UInt8>)
        /// A line over 64 KiB: its bytes are not kept.
        case tooLong
    }

    /// What a read has brought.
    public enum Progress {
        case more, nothingYet, ended
    }

    /// The longest line, in bytes without its end.
    public static let limit = 64 * 1024
    private static let largestPiece = 256 * 1024

    /// Not touched before it is needed: a quiet reader needs a page of it.
    private var buffer = [UInt8](unsafeUninitializedCapacity: limit + 2 + largestPiece) { buffer, count in
        count = buffer.count
    }
    private var start = 0
    private var searched = 0
    private var end = 0
    private var isSkipping = false

    public init() {}

    /// Whether nothing is left of what has come.
    var isEmpty: Bool { start == end && !isSkipping }

    /// Takes what a descriptor holds now, when `next` has nothing left.
    public mutating func read(from descriptor: Int32) throws(StreamError) -> Progress {
        moveToFront()
        let (size, number) = buffer.withUnsafeMutableBytes { [end] buffer in
            let room = min(Self.largestPiece, buffer.count - end)
            let size = readBytes(descriptor, buffer.baseAddress! + end, room)
            return (size, size < 0 ? errno : 0)
        }
        switch number {
        case 0:
            end += size
            return size > 0 ? .more : .ended
        case EINTR, EAGAIN: return .nothingYet
        default: throw .inputFailed(errno: number)
        }
    }

    /// Takes a piece of at most 256 KiB, when `next` has nothing left.
    public mutating func append(_ piece: some Collection<UInt8>) {
        moveToFront()
        buffer.replaceSubrange(end..<end + piece.count, with: piece)
        end += piece.count
    }

    private mutating func moveToFront() {
        guard start > 0 else { return }
        buffer.withUnsafeMutableBytes { [start, end] buffer in
            _ = memmove(buffer.baseAddress!, buffer.baseAddress! + start, end - start)
        }
        (start, searched, end) = (0, searched - start, end - start)
    }

    /// The next line that is complete, or nil when more bytes are needed.
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

    /// What is left when no more bytes will come.
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
