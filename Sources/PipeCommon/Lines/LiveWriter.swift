/// Writes readings, or lines that show readings, in batches. When a stalled reader resumes, it soon gets current lines
/// instead of a long queue of old lines: the lines added during the stall are skipped, and a diagnostic reports their
/// number.
///
/// Only lines for live readings are skipped. A recording whose readings are at least a minute old is written
/// completely, however slow the reader is.
public struct LiveWriter: ~Copyable {
    /// A reading counts as recorded, not live, if its time differs from the current time by at least this many
    /// milliseconds.
    private static let liveAge = 60_000
    /// If at least this many bytes are pending when a line is added, they are flushed first, as a batch. The limit for
    /// live lines is low, so that a pipe that is ready for writing accepts most batches in one piece.
    private static let batch = 64 * 1024
    private static let liveBatch = 2048

    private let writer: LineWriter
    private let diagnostics: Diagnostics
    private var reader: StalledReader
    // The next four properties describe the pending lines: their bytes, the position of the bytes that were added last,
    // their kind (live or not), and the time of the first call of `add` after the caller's last `flush`.
    private var text = ByteBuffer()
    private var lastAdded = 0
    private var areLive = false
    private var now = Timestamp.now()
    /// The number of skipped lines that have not been reported yet.
    private var skipped = 0
    private var lastSkipped: [UInt8]?

    /// - Parameter requests: the descriptor of the pipe for requests to the clock; -1 if there is no such pipe. If the
    ///   clock has closed this pipe, flushing live lines may throw `.readerGone`.
    public init(descriptor: Int32 = STDOUT_FILENO, requests: Int32 = -1, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        writer = LineWriter(descriptor: descriptor)
        reader = StalledReader(descriptor: descriptor, requests: requests)
    }

    /// Adds a reading to the lines that the next `flush` writes or skips.
    public mutating func add(_ reading: borrowing Reading) throws(StreamError) {
        try add(at: reading.at) { reading.append(to: &$0) }
    }

    /// Adds one or more lines to the lines that the next `flush` writes or skips.
    ///
    /// - Parameters:
    ///   - time: the `at` that decides whether the lines are live; nil for lines that are never skipped.
    ///   - append: appends the lines, without the last line end.
    @inline(__always)
    public mutating func add(at time: Timestamp?, _ append: (inout ByteBuffer) -> Void) throws(StreamError) {
        if text.isEmpty { now = .now() }
        let isLive = time.map { abs(now.milliseconds - $0.milliseconds) < Self.liveAge } ?? false
        if isLive != areLive || text.count >= (isLive ? Self.liveBatch : Self.batch) { try flush() }
        areLive = isLive
        lastAdded = text.count
        append(&text)
        text.append(UInt8(ascii: "\n"))
    }

    /// Writes or skips the pending lines. Call this whenever all available input has been handled.
    public mutating func flush() throws(StreamError) {
        guard !text.isEmpty else { return }
        defer { text.removeAll() }
        if areLive, try reader.isStalled(at: .now, isKnown: lastSkipped != nil) {
            let bytes = text.bytes
            skipped += Self.lines(in: bytes[...])
            lastSkipped = Array(bytes[lastAdded...])
        } else {
            reportSkipped()
            if areLive { reader.mark(at: .now) }
            try text.withBytes { (lines) throws(StreamError) in try writer.writeAll(lines) }
            reader.count(text.count)
        }
    }

    /// Ends the stream. If the last flush skipped its lines, the lines that were added last are written anyway.
    public mutating func finish() throws(StreamError) {
        try flush()
        guard let lines = lastSkipped else { return }
        skipped -= Self.lines(in: lines[...])
        reportSkipped()
        try writer.writeAll(lines.span)
    }

    private static func lines(in text: ArraySlice<UInt8>) -> Int { text.count { $0 == UInt8(ascii: "\n") } }

    private mutating func reportSkipped() {
        if skipped > 0 {
            let lines = skipped == 1 ? "1 line" : "\(skipped) lines"
            diagnostics.warning("standard output was not being read; skipped \(lines)")
        }
        (skipped, lastSkipped) = (0, nil)
    }
}
