/// Detects a stalled reader: for 10 seconds, it has left bytes unread in the pipe or left no room for more.
struct StalledReader {
    private static let patience = Duration.seconds(10)
    /// The resolution at which the age of unread bytes is tracked.
    private static let grain = Duration.milliseconds(100)

    private let descriptor: Int32
    private let requests: Int32
    private let isPipe: Bool
    private var written = 0
    /// Byte offset and time of each write that the reader may not have consumed, oldest first.
    private var unread: [(from: Int, at: Deadline.Instant)] = []
    private var blockedSince: Deadline.Instant?

    /// - Parameter requests: the pipe of requests to the clock, which is watched while waiting for the reader; -1 if
    ///   there is none.
    init(descriptor: Int32, requests: Int32 = -1) {
        (self.descriptor, self.requests) = (descriptor, requests)
        isPipe = PipeCommon.isPipe(descriptor)
    }

    /// Call this before writing something whose age matters.
    mutating func mark(at now: Deadline.Instant) {
        if unread.last.map({ $0.at + Self.grain < now }) ?? true { unread.append((written, now)) }
    }

    /// Call this after each write.
    mutating func count(_ bytes: Int) {
        written += bytes
    }

    /// Whether the reader is stalled. If the pipe is full, waits for room until the reader counts as stalled.
    ///
    /// - Parameter isKnown: whether the reader was already found to be stalled; if so, it is not given time to wake up.
    /// - Throws: `.readerGone` if the clock ends during that wait.
    mutating func isStalled(at now: Deadline.Instant, isKnown: Bool) throws(StreamError) -> Bool {
        if bytesInPipe == 0 {
            (unread, blockedSince) = ([], nil)
            return false
        }
        if hasOldBytes(at: now) {
            // The whole pipeline may have been suspended and may be resuming right now.
            if !isKnown { usleep(20_000) }
            if isKnown || hasOldBytes(at: now) { return true }
        }
        // The pipe is full, or the terminal is held by Ctrl-S.
        let since = blockedSince ?? unread.first?.at ?? now
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: requests, events: 0, revents: 0),
        ]
        poll(&polled, until: Deadline(in: Self.patience, from: since))
        if readerIsGone(polled[1]) { throw .readerGone }
        // If the reader is gone, the write reports it.
        blockedSince = polled[0].revents != 0 ? nil : since
        return blockedSince != nil
    }

    private mutating func hasOldBytes(at now: Deadline.Instant) -> Bool {
        guard let count = bytesInPipe else {
            unread = []
            return false
        }
        let read = written - count
        // A mark stands for all bytes up to the next mark.
        while !unread.isEmpty, unread.dropFirst().first?.from ?? written <= read { unread.removeFirst() }
        return unread.first.map { $0.at + Self.patience < now } ?? false
    }

    /// The number of bytes that have not been read yet; nil if the descriptor is not a pipe.
    private var bytesInPipe: Int? {
        isPipe ? unreadByteCount(of: descriptor) : nil
    }
}
