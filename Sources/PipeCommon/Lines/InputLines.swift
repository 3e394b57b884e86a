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
