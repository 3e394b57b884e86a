/// Detects a stalled reader. A reader counts as stalled if the output stays full for 10 seconds or, on Linux, if the
/// reader leaves bytes of live lines unread in a pipe for more than 10 seconds.
struct StalledReader {
    private static let patience = Duration.seconds(10)
    /// The precision with which the age of unread bytes is measured.
    private static let grain = Duration.milliseconds(100)

    private let descriptor: Int32
    private let requests: Int32
    private let isPipe: Bool
    private var written = 0
    /// The byte offset and the time of each write of live lines whose bytes may still be unread, oldest first. Writes
    /// within 100 ms share an entry.
    private var unread: [(from: Int, at: Deadline.Instant)] = []
    private var blockedSince: Deadline.Instant?

    /// - Parameter requests: the descriptor of the pipe for requests to the clock; -1 if there is none. While
    ///   `isStalled` waits for room, it also notices if the clock closes this pipe.
    init(descriptor: Int32, requests: Int32) {
        (self.descriptor, self.requests) = (descriptor, requests)
        isPipe = PipeCommon.isPipe(descriptor)
    }

    /// Records the time of a write. Call this before you write lines that become useless with age.
    mutating func mark(at now: Deadline.Instant) {
        if unread.last.map({ $0.at + Self.grain < now }) ?? true { unread.append((written, now)) }
    }

    /// Counts the bytes of a write. Call this after each write.
    mutating func count(_ bytes: Int) {
        written += bytes
    }

    /// Returns whether the reader is stalled. If the output is full, waits until there is room or the reader counts as
    /// stalled.
    ///
    /// - Parameter isKnown: whether the reader is already known to be stalled. If so, the reader does not get extra
    ///   time to resume.
    /// - Throws: `.readerGone` if a check for room finds that the clock has closed the pipe for requests.
    mutating func isStalled(at now: Deadline.Instant, isKnown: Bool) throws(StreamError) -> Bool {
        if bytesInPipe == 0 {
            (unread, blockedSince) = ([], nil)
            return false
        }
        if hasOldBytes(at: now) {
            // The whole pipeline may have been suspended and may just be resuming.
            if !isKnown { usleep(20_000) }
            if isKnown || hasOldBytes(at: now) { return true }
        }
        // At this point, the pipe may be full, or the terminal may be stopped by Ctrl-S.
        let since = blockedSince ?? unread.first?.at ?? now
        var polled = [
            pollfd(descriptor, POLLOUT),
            pollfd(requests),
        ]
        poll(&polled, until: Deadline(in: Self.patience, from: since))
        if readerIsGone(polled[1]) { throw .readerGone }
        // If the reader is gone, the next write reports that.
        blockedSince = polled[0].isReady ? nil : since
        return blockedSince != nil
    }

    private mutating func hasOldBytes(at now: Deadline.Instant) -> Bool {
        guard let count = bytesInPipe else {
            unread = []
            return false
        }
        let read = written - count
        // Each entry covers all bytes up to the next entry.
        while !unread.isEmpty, unread.dropFirst().first?.from ?? written <= read { unread.removeFirst() }
        return unread.first.map { $0.at + Self.patience < now } ?? false
    }

    /// The number of bytes that have not been read yet; nil if this number is unknown, for example because the output
    /// is not a pipe. On macOS, it is never known: the write end of a pipe always reports 0 bytes there.
    private var bytesInPipe: Int? {
        #if os(Linux)
            isPipe ? unreadByteCount(of: descriptor) : nil
        #else
            nil
        #endif
    }
}
