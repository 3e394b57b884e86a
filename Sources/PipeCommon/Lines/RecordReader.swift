/// Reads one record per line, by default from standard input. A line that is not a valid record or is longer than
/// 64 KiB is skipped: a warning gives the line number, counted from 1, and `status` becomes `.badInput`. After a line
/// that contains only `{` and blanks, as in an object that extends over several lines, invalid lines are not reported
/// until the next valid record. Blank lines are skipped silently. Errors are thrown only when a read fails, or when the
/// reader of the output or of the requests to the clock is gone.
///
/// A simple filter waits for its input:
///
///     while try records.readMore() {
///         while let record = records.next() { … }
///     }
///
/// A loop with deadlines calls `wait`, then `read`. A loop that also watches other descriptors polls
/// `descriptor` while `isOpen` and `needsInput` are true, then calls `read`.
public struct RecordReader<Value: Record>: ~Copyable {
    public let descriptor: Int32
    private let output: Int32
    private let requests: Int32
    private let diagnostics: Diagnostics
    private var lines = LineReader()
    private var json = JSONReader()
    private var lineNumber = 0
    /// Whether the current lines may be parts of an object that extends over several lines.
    private var areParts = false

    /// The exit status so far: `.badInput` after an invalid line.
    public private(set) var status = ExitStatus.done
    /// Whether more input may follow. The end of the input is remembered here, because a terminal reports it only once.
    public private(set) var isOpen = true
    /// True at first, and again after `next` has found no further record in the bytes that were read.
    public private(set) var needsInput = true

    /// - Parameters:
    ///   - output: the descriptor of the output. While `wait` waits for input, it also notices if the reader of the
    ///     output is gone.
    ///   - requests: the descriptor of the pipe for requests to the clock; -1 if there is none. While `wait` waits, it
    ///     also notices if the reader of this pipe is gone.
    public init(
        _ type: Value.Type = Value.self, descriptor: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO,
        requests: Int32 = -1, diagnostics: Diagnostics
    ) {
        self.descriptor = descriptor
        self.output = output
        self.requests = requests
        self.diagnostics = diagnostics
    }

    /// Whether the input has ended and `next` has returned all records.
    public var hasEnded: Bool { !isOpen && needsInput }

    /// Reads the bytes that are available now, at most 256 KiB; may block if there are none. Call this only if
    /// `needsInput` is true, because with a full buffer the result of the read would look like the end of the input.
    ///
    /// - Throws: `.inputFailed` with the error number of the failed read.
    public mutating func read() throws(StreamError) {
        isOpen = try lines.read(from: descriptor)
        needsInput = false
    }

    /// Waits for input and reads it.
    ///
    /// - Returns: false if the end of the input has already been read.
    /// - Throws: `.readerGone` as in `wait`; `.inputFailed` as in `read`.
    public mutating func readMore() throws(StreamError) -> Bool {
        guard isOpen else { return false }
        _ = try wait(until: nil)
        try read()
        return true
    }

    /// Waits until there is something to read or the deadline passes. If the deadline is nil, there is no time limit.
    ///
    /// - Returns: false if the deadline passes first.
    /// - Throws: `.readerGone` when the reader of the output or of the requests to the clock is gone.
    public func wait(until deadline: Deadline?) throws(StreamError) -> Bool {
        var polled = [
            pollfd(descriptor, POLLIN),
            pollfd(output),
            pollfd(requests),
        ]
        poll(&polled, until: deadline)
        if readerIsGone(polled[1]) || readerIsGone(polled[2]) { throw .readerGone }
        return polled[0].isReady
    }

    /// The next valid record in the bytes that were read. Nil at the end of the input, or if `read` must be called
    /// first. Inlined, because otherwise each returned record would be copied.
    @inline(__always)
    public mutating func next() -> Value? {
        while let line = lines.next() ?? (isOpen ? nil : lines.last()) {
            lineNumber += 1
            do throws(InvalidInput) {
                if let record = try record(in: line) {
                    areParts = false
                    return record
                }
            } catch {
                if !areParts { diagnostics.warning("line \(lineNumber): \(error.reason)") }
                areParts = areParts || error == .spread
                status = .badInput
            }
        }
        needsInput = true
        return nil
    }

    /// - Returns: nil for a blank line.
    @inline(__always)
    private mutating func record(in line: LineReader.Line) throws(InvalidInput) -> Value? {
        switch line {
        case .tooLong: throw InvalidInput("longer than 64 KiB")
        case .text where line.isBlank: return nil
        case .text(let bytes): return try Value(line: bytes, by: &json)
        }
    }
}

func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}
