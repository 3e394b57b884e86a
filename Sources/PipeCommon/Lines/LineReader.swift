/// Splits the bytes from a descriptor into lines. It buffers at most one line of 64 KiB and the bytes of one read.
///
/// `\n` and `\r\n` end a line; the last line may lack the `\n`. A byte order mark at the beginning is skipped.
public struct LineReader {
    public enum Line: Equatable {
        /// A line without its line end. Release it before you read more; otherwise the buffer is copied.
        case text(ArraySlice<UInt8>)
        /// A line longer than 64 KiB. Its bytes are discarded.
        case tooLong

        /// Whether the line is empty or contains only spaces and tabs; false if it is longer than 64 KiB.
        public var isBlank: Bool {
            if case .text(let bytes) = self { bytes.allSatisfy(PipeCommon.isBlank) } else { false }
        }
    }

    /// The maximum length of a line in bytes, not counting its line end.
    public static let limit = 64 * 1024
    private static let largestPiece = 256 * 1024
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// How many bytes of an incomplete line are kept: a byte order mark, 64 KiB, and the `\r` of a line end.
    private static let mostKept = mark.count + limit + 1

    private var buffer = uninitializedBytes(mostKept + largestPiece)
    private var start = 0
    private var searched = 0
    private var end = 0
    private var isSkipping = false
    private var isFirst = true

    public init() {}

    /// Reads the bytes that are available now, at most 256 KiB; may block if there are none. Before you call this
    /// again, call `next` until it returns nil.
    ///
    /// - Returns: false at the end of the input; true otherwise, even if no bytes were available.
    /// - Throws: `.inputFailed` with the system's error number.
    public mutating func read(from descriptor: Int32) throws(StreamError) -> Bool {
        moveToFront()
        let room = min(Self.largestPiece, buffer.count - end)
        guard let count = try readBytes(descriptor, into: &buffer, end..<end + room) else { return true }
        end += count
        return count > 0
    }

    private mutating func moveToFront() {
        guard start > 0 else { return }
        for place in start..<end { buffer[place - start] = buffer[place] }
        (start, searched, end) = (0, searched - start, end - start)
    }

    /// The next complete line; nil when more bytes are needed.
    public mutating func next() -> Line? {
        guard let lineEnd = firstPlace(of: UInt8(ascii: "\n"), in: buffer, searched..<end) else {
            if end - start > Self.mostKept {
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

    /// The last line if it does not end with `\n`; otherwise nil. Call this at the end of the input.
    public mutating func last() -> Line? {
        guard isSkipping || start < end else { return nil }
        defer { (start, searched, isSkipping) = (end, end, false) }
        return line(start..<end)
    }

    private mutating func line(_ range: Range<Int>) -> Line {
        var range = range
        if isFirst {
            if buffer[range].starts(with: Self.mark) { range.removeFirst(Self.mark.count) }
            isFirst = false
        }
        let hasReturn = !range.isEmpty && buffer[range.upperBound - 1] == UInt8(ascii: "\r")
        let text = hasReturn ? range.dropLast() : range
        return isSkipping || text.count > Self.limit ? .tooLong : .text(buffer[text])
    }
}
