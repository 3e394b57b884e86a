/// Writes the lines for readings in batches. When a stalled reader resumes, it gets current lines, not a queue of old
/// lines: the lines produced in the meantime are skipped, and one diagnostic reports the number of skipped readings.
///
/// Only the lines of live readings are skipped: a recording is written completely, however slow its reader is.
public struct LiveWriter: ~Copyable {
    /// A reading whose tick is at least this many milliseconds away from now is taken to be recorded.
    private static let liveAge = 60_000
    /// The number of pending bytes at which a batch is written; the limit for live lines is low enough that a
    /// pipe with any room takes a batch in one piece.
    private static let batch = 64 * 1024
    private static let liveBatch = 2048

    private let writer: LineWriter
    private let diagnostics: Diagnostics
    private var reader: StalledReader
    // The pending lines: their bytes and number, where the last line starts, whether they are live, and when the first
    // line was added.
    private var text = ByteBuffer()
    private var count = 0
    private var lastLine = 0
    private var areLive = false
    private var now = Timestamp.now()
    private var skipped = 0
    private var lastSkipped: [UInt8]?

    /// - Parameter requests: the pipe of requests to the clock; -1 if there is none. Once the clock is gone, `flush` no
    ///   longer waits for a stalled reader of the lines.
    public init(descriptor: Int32 = STDOUT_FILENO, requests: Int32 = -1, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        writer = LineWriter(descriptor: descriptor)
        reader = StalledReader(descriptor: descriptor, requests: requests)
    }

    /// Adds a reading to the lines that the next `flush` writes or skips.
    public mutating func add(_ reading: borrowing Reading) throws(StreamError) {
        try add(at: reading.at) { reading.append(to: &$0) }
    }

    /// Adds a line to the lines that the next `flush` writes or skips.
    ///
    /// - Parameters:
    ///   - time: the due time of the tick that the line answers; nil for a line that is never skipped.
    ///   - append: appends the line, without its end.
    @inline(__always)
    public mutating func add(at time: Timestamp?, _ append: (inout ByteBuffer) -> Void) throws(StreamError) {
        if count == 0 { now = .now() }
        let isLive = time.map { abs(now.milliseconds - $0.milliseconds) < Self.liveAge } ?? false
        if isLive != areLive || text.count >= (isLive ? Self.liveBatch : Self.batch) { try flush() }
        areLive = isLive
        lastLine = text.count
        append(&text)
        text.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Writes or skips the lines added since the last call. Call it whenever all available input has been handled.
    public mutating func flush() throws(StreamError) {
        guard count > 0 else { return }
        defer {
            text.removeAll()
            count = 0
        }
        if areLive, try reader.isStalled(at: .now, isKnown: skipped > 0) {
            skipped += count
            lastSkipped = Array(text.bytes[lastLine...])
        } else {
            reportSkipped()
            if areLive { reader.mark(at: .now) }
            try text.withBytes { (lines) throws(StreamError) in try writer.writeAll(lines) }
            reader.count(text.count)
        }
    }

    /// Ends the stream. A stalled reader still gets the last of the skipped readings.
    public mutating func finish() throws(StreamError) {
        try flush()
        guard let line = lastSkipped else { return }
        skipped -= 1
        reportSkipped()
        try writer.writeAll(line.span)
    }

    private mutating func reportSkipped() {
        if skipped > 0 {
            let readings = skipped == 1 ? "1 reading" : "\(skipped) readings"
            diagnostics.warning("standard output was not being read; skipped \(readings)")
        }
        (skipped, lastSkipped) = (0, nil)
    }
}
