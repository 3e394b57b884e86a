import Synchronization

/// A program's messages to its user, one line each on standard error. Warnings and errors have one fixed form:
/// `price-cache: warning: line 3: not a JSON object`. In these messages, characters that are not printable become `?`.
///
/// A write normally does not block, and a failed write is never reported to the caller. If standard error is full, the
/// line is discarded and counted. Before the next line that can be written, a warning reports the number of discarded
/// lines. Copies of this value share the count, and several threads may write at the same time.
///
/// This type does not limit repetition: callers should report a lasting problem when it begins or changes, not on every
/// tick (see `ChangeFilter`).
public struct Diagnostics: Sendable {
    /// A pipe that is ready for writing accepts this many bytes in one piece.
    public static let longestPiece = Int(PIPE_BUF)

    private final class Discarded: Sendable {
        let count = Mutex(0)
    }

    private let program: String
    private let descriptor: Int32
    private let discarded = Discarded()

    /// - Parameters:
    ///   - program: the name at the beginning of each line.
    ///   - descriptor: the descriptor to write to. It must stay open as long as this value is used; this type does not
    ///     close it.
    public init(program: String, descriptor: Int32 = STDERR_FILENO) {
        self.program = program
        self.descriptor = descriptor
    }

    /// Reports a problem after which the program continues.
    ///
    /// - Parameter message: one line, without a full stop; characters that are not printable become `?`. The whole line
    ///   is cut to 1000 characters and to `longestPiece` bytes.
    public func warning(_ message: String) {
        write(lines: line("warning: \(message)")[...])
    }

    /// Reports a failure, in the same form as a warning. This does not end the program.
    public func error(_ message: String) {
        write(lines: line("error: \(message)")[...])
    }

    /// If standard input is a terminal, warns that the program is waiting for the user to type its input.
    ///
    /// - Parameters:
    ///   - records: the kind of records that the program reads, in the plural, such as "readings".
    ///   - advice: a hint on what to do instead.
    public func warnIfTyped(_ records: String, _ advice: String) {
        if isatty(STDIN_FILENO) == 1 { warning("waiting for \(records) from the terminal; \(advice)") }
    }

    /// Prints a hint after an error.
    func hint(_ message: String) {
        write(lines: line(message)[...])
    }

    /// Writes another program's lines, unchanged and with a single write. If standard error is full, the lines are
    /// discarded, and their line ends are counted.
    ///
    /// - Parameter lines: complete lines, including their line ends, or a piece of a long line; at most `longestPiece`
    ///   bytes in total, because a longer write might block.
    public func write(lines: ArraySlice<UInt8>) {
        discarded.count.withLock { count in
            if count > 0, tryToWrite(notice(count)[...]) { count = 0 }
            if count > 0 || !tryToWrite(lines) { count += lines.count { $0 == UInt8(ascii: "\n") } }
        }
    }

    private func notice(_ count: Int) -> [UInt8] {
        let diagnostics = count == 1 ? "1 diagnostic was" : "\(count) diagnostics were"
        return line("warning: \(diagnostics) discarded: standard error was not being read")
    }

    private func line(_ message: String) -> [UInt8] {
        let text = printable("\(program): \(message)", atMost: 1000)
        return Array(text.utf8.prefix(Self.longestPiece - 1)) + [UInt8(ascii: "\n")]
    }

    /// Writes bytes if there is room. Standard error is not made non-blocking, because other programs may share it.
    ///
    /// - Returns: false if there is no room; otherwise true, even if standard error has failed, because that failure
    ///   cannot be reported anywhere.
    private func tryToWrite(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard wait(for: descriptor, POLLOUT, until: Deadline(.now)) else { return false }
        return writeBytes(descriptor, bytes.span) != -1 || errno != EAGAIN
    }
}

/// Selects the problems to report: a problem is reported when it begins or changes, not each time it occurs.
public struct ChangeFilter: Sendable {
    private var reported: String?

    public init() {}

    /// - Returns: the problem if it differs from the problem in the previous call; nil if it is the same, or if
    ///   `problem` is nil.
    public mutating func changed(to problem: String?) -> String? {
        defer { reported = problem }
        return problem == reported ? nil : problem
    }
}
