/// Cuts bytes, in whatever pieces they arrive, into lines. Holds no more than one line of 64 KiB.
///
/// `\n` and `\r\n` end a line; a last line may lack its end.
public struct LineReader {
    public enum Line: Equatable {
        case text([UInt8])
        /// A line over 64 KiB: its bytes are not kept.
        case tooLong
    }

    /// The longest line, in bytes without its end.
    public static let limit = 64 * 1024

    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var isSkipping = false

    public init() {}

    /// Whether nothing is left of what was appended.
    var isEmpty: Bool { start == buffer.count && !isSkipping }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next line that is complete, or nil when more bytes are needed.
    public mutating func next() -> Line? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            if buffer.count - start > Self.limit + 1 {
                isSkipping = true
                start = buffer.count
            }
            searched = buffer.count
            return nil
        }
        defer {
            start = end + 1
            searched = start
            isSkipping = false
        }
        return line(buffer[start..<end])
    }

    /// What is left when no more bytes will come.
    public mutating func last() -> Line? {
        guard isSkipping || start < buffer.count else { return nil }
        defer { self = LineReader() }
        return line(buffer[start...])
    }

    private func line(_ bytes: ArraySlice<UInt8>) -> Line {
        let text = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        return isSkipping || text.count > Self.limit ? .tooLong : .text(Array(text))
    }
}
