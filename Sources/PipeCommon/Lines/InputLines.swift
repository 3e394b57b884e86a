#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The lines of standard input, read as they arrive, for as long as somebody reads standard output.
struct InputLines {
    private var lines = LineReader()
    private var hasEnded = false

    /// Waits until something can be read, and leaves it there; until the deadline at most.
    ///
    /// - Returns: whether something can be read, or the end has been.
    func wait(until deadline: Deadline?) throws(StreamError) -> Bool {
        // A terminal says it once.
        if hasEnded { return true }
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        let ready = poll(&descriptors, 2, deadline?.pollTimeout ?? -1)
        if ready > 0, readerIsGone(descriptors[1]) { throw .readerGone }
        return ready > 0 || ready < 0 && errno != EINTR
    }

    /// Takes what has come, when `next` has none left.
    ///
    /// - Returns: false at the end of the input.
    mutating func read() throws(StreamError) -> Bool {
        if hasEnded { return false }
        hasEnded = try lines.read(from: STDIN_FILENO) == .ended
        return true
    }

    /// The next line in what has come.
    mutating func next() -> LineReader.Line? {
        lines.next() ?? (hasEnded ? lines.last() : nil)
    }

    /// Whether the next line is still in standard input, all of it.
    var isDry: Bool { lines.isEmpty }
}

/// Ends the program when nobody reads its standard output any more.
public func checkReader() throws(StreamError) {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    if poll(&output, 1, 0) > 0, readerIsGone(output) { throw .readerGone }
}

/// Whether `poll` has seen that nobody reads what is written to this descriptor.
public func readerIsGone(_ descriptor: pollfd) -> Bool {
    descriptor.revents & Int16(POLLERR | POLLHUP) != 0
}

/// What a descriptor holds now, at most 64 KiB: empty at its end, nil when there is nothing yet.
public func readAvailable(_ descriptor: Int32) throws(StreamError) -> [UInt8]? {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: LineReader.limit) { buffer, count in
        let size = read(descriptor, buffer.baseAddress, buffer.count)
        number = size < 0 ? errno : 0
        count = max(0, size)
    }
    switch number {
    case 0: return bytes
    case EINTR, EAGAIN: return nil
    default: throw .inputFailed(errno: number)
    }
}
