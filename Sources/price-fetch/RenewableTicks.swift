import PipeCommon

/// The ticks on standard input, with what a renewed process has to know of the stream.
struct RenewableTicks {
    private let diagnostics: Diagnostics
    private var lines = LineReader()
    private var numbering = TickNumbering()
    private var hasEnded = false
    private var count: Int
    private(set) var status: ExitStatus

    init(from start: TickPosition, diagnostics: Diagnostics) {
        self.diagnostics = diagnostics
        (count, status) = (start.lines, start.status)
        if start.nextNumber > 0 { _ = numbering.complete(Tick(number: start.nextNumber - 1), at: .now()) }
    }

    var position: TickPosition {
        var numbering = numbering
        let next = numbering.complete(Tick(), at: .now()).number ?? 0
        return TickPosition(lines: count, nextNumber: next, status: status)
    }

    /// Whether all that was read has been used.
    var needsInput: Bool {
        var rest = lines
        return rest.last() == nil
    }

    /// Waits until something can be read, or the input has ended; until the deadline at most.
    func wait(until deadline: Deadline?) throws(StreamError) -> Bool {
        if hasEnded { return true }
        var polled = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        let ready = poll(&polled, 2, deadline?.pollTimeout ?? -1)
        if ready > 0, readerIsGone(polled[1]) { throw .readerGone }
        return ready > 0 || ready < 0 && errno != EINTR
    }

    /// - Returns: false at the end of the input.
    mutating func read() throws(StreamError) -> Bool {
        if hasEnded { return false }
        hasEnded = try lines.read(from: STDIN_FILENO) == .ended
        return true
    }

    mutating func next() -> Tick? {
        while let line = lines.next() ?? (hasEnded ? lines.last() : nil) {
            count += 1
            do throws(InvalidInput) {
                guard case .text(let bytes) = line else { throw InvalidInput("longer than 64 KiB") }
                if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
                return numbering.complete(try Tick(line: bytes), at: .now())
            } catch {
                diagnostics.warning("line \(count): \(error.reason)")
                status = .badInput
            }
        }
        return nil
    }
}

/// Ends the program when nobody reads its standard output any more.
func checkReader() throws(StreamError) {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    if poll(&output, 1, 0) > 0, readerIsGone(output) { throw .readerGone }
}
