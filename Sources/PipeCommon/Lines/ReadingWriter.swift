#if canImport(Darwin)
    // <sys/filio.h> defines it in a way that Swift can't read.
    private let unreadBytes: UInt = 0x4004_667F
#else
    private let unreadBytes = UInt(FIONREAD)
#endif

/// Standard output for readings. A reader that has stopped gets the current ones when it reads again, not a queue
/// of old ones: what comes meanwhile is skipped, and counted in one diagnostic.
///
/// Only what is made now is skipped: a recording is written whole, however slow its reader is.
public struct ReadingWriter: ~Copyable {
    /// A reader that leaves a line unread for so long has stopped.
    static let patience = Duration.seconds(10)
    /// A reading of a tick that is further from now, in milliseconds, comes from a recording.
    static let liveAge = 60_000
    /// How finely the age of what is unread is known.
    private static let grain = Duration.milliseconds(100)

    /// Lines are gathered up to so many bytes; live ones up to what a pipe that has any room takes in one piece.
    private static let batch = 64 * 1024
    private static let liveBatch = 2048

    private let writer: LineWriter
    private let descriptor: Int32
    private let diagnostics: Diagnostics
    private let isPipe: Bool
    private let hasToEnd: () -> Bool
    /// What the next flush writes: so many lines, the last from `lastLine` on, of ticks of now or of none.
    private var text = ByteBuffer()
    private var count = 0
    private var lastLine = 0
    private var areLive = false
    /// When the first of them was added.
    private var now = Timestamp.now()
    private var written = 0
    /// How much had been written before which time; what the reader has taken is dropped.
    private var unread: [(from: Int, at: Deadline.Instant)] = []
    private var blockedSince: Deadline.Instant?
    private var skipped = 0
    private var lastSkipped: [UInt8]?

    /// - Parameter hasToEnd: whether a signal has come that ends the program, whatever its reader does.
    public init(
        descriptor: Int32 = STDOUT_FILENO, diagnostics: Diagnostics,
        hasToEnd: @escaping () -> Bool = { false }
    ) {
        self.descriptor = descriptor
        self.hasToEnd = hasToEnd
        self.diagnostics = diagnostics
        writer = LineWriter(descriptor: descriptor)
        var status = stat()
        isPipe = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Adds a reading to what the next `flush` writes, or skips.
    public mutating func add(_ reading: borrowing Reading) throws(StreamError) {
        try begin(of: reading.at)
        reading.append(to: &text)
        end()
    }

    /// Adds a line to what the next `flush` writes, or skips.
    ///
    /// - Parameters:
    ///   - at: when the tick was due that the line answers.
    ///   - line: appends it, without its end.
    public mutating func add(of at: Timestamp?, _ line: (inout ByteBuffer) -> Void) throws(StreamError) {
        try begin(of: at)
        line(&text)
        end()
    }

    private mutating func begin(of at: Timestamp?) throws(StreamError) {
        if count == 0 { now = .now() }
        let isLive = isLive(at)
        if isLive != areLive || text.count >= (isLive ? Self.liveBatch : Self.batch) { try flush() }
        areLive = isLive
        lastLine = text.count
    }

    private mutating func end() {
        text.append(UInt8(ascii: "\n"))
        count += 1
    }

    /// Writes what was added since the last call: to be called whenever nothing more has come.
    public mutating func flush() throws(StreamError) {
        guard count > 0 else { return }
        defer {
            text.removeAll()
            count = 0
        }
        if areLive, isReaderBehind(at: .now) {
            skipped += count
            lastSkipped = Array(text.pieces(from: lastLine))
        } else {
            tellSkipped()
            try write(text.pieces(from: 0))
        }
    }

    /// Whether the last reading was skipped.
    public var isBehind: Bool { lastSkipped != nil }

    /// At the end of the stream a reader that is behind gets the last of what was skipped.
    public mutating func finish() throws(StreamError) {
        try flush()
        guard let line = lastSkipped else { return }
        skipped -= 1
        tellSkipped()
        try line.withUnsafeBufferPointer { (line) throws(StreamError) in try write(line) }
    }

    private mutating func write(_ lines: UnsafeBufferPointer<UInt8>) throws(StreamError) {
        let now = Deadline.Instant.now
        if areLive, unread.last.map({ $0.at + Self.grain < now }) ?? true { unread.append((written, now)) }
        try writer.writeAll(UnsafeRawBufferPointer(lines))
        written += lines.count
    }

    private mutating func tellSkipped() {
        if skipped > 0 {
            let readings = skipped == 1 ? "1 reading was" : "\(skipped) readings were"
            diagnostics.warning("nobody read the output for a while: \(readings) skipped")
        }
        (skipped, lastSkipped) = (0, nil)
    }

    private func isLive(_ at: Timestamp?) -> Bool {
        guard let at else { return false }
        return abs(now.milliseconds - at.milliseconds) < Self.liveAge
    }

    private mutating func isReaderBehind(at now: Deadline.Instant) -> Bool {
        if hasOldLines(at: now) {
            // Both may have been stopped, and go on at the same time.
            if skipped == 0 { usleep(20_000) }
            if skipped > 0 || hasOldLines(at: now) { return true }
        }
        // Full, or held by Ctrl-S.
        let since = blockedSince ?? unread.first?.at ?? now
        blockedSince = isWritable(by: Deadline(in: Self.patience, from: since)) ? nil : since
        return blockedSince != nil
    }

    /// Whether the reader has left a line unread for too long.
    private mutating func hasOldLines(at now: Deadline.Instant) -> Bool {
        var count: Int32 = 0
        guard isPipe, ioctl(descriptor, unreadBytes, &count) == 0 else {
            unread = []
            return false
        }
        let read = written - Int(count)
        // A mark stands for all up to the next one.
        while !unread.isEmpty, unread.dropFirst().first?.from ?? written <= read { unread.removeFirst() }
        return unread.first.map { $0.at + Self.patience < now } ?? false
    }

    private func isWritable(by deadline: Deadline) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while !hasToEnd(), poll(&polled, 1, deadline.pollTimeout) == -1, errno == EINTR {}
        // A reader that is gone shows in the write.
        return polled.revents != 0
    }
}
