import Synchronization

/// One run of a shell command, with one pipe to its standard input and one pipe from its standard output.
///
/// No other program inherits our ends of these pipes. The command's input therefore ends when this process ends,
/// whatever the reason. `end` must be called exactly once: without a call, the pipes stay open and the command may keep
/// running; a second call could kill another process that has the same id by then.
public final class ChildProcess {
    public enum SendResult {
        case sent
        /// The pipe has no room for the piece, because the command does not read fast enough.
        case blocked
        /// The command has ended or has closed its input, or we have closed the pipe.
        case closed
    }

    /// The shell's process ID.
    public let id: pid_t
    /// The descriptor of the command's standard output, for `poll`.
    public let output: Int32
    /// The descriptor of the command's standard input, for `poll`; nil once it is closed.
    public private(set) var input: Int32?
    private var lines = LineReader()

    /// Starts the command with `sh -c`, in our process group, so that Ctrl-C and Ctrl-Z reach it as well.
    ///
    /// - Parameter errors: the descriptor that becomes the command's standard error; by default our own standard error.
    /// - Throws: `SystemError` if a pipe cannot be created or the shell cannot be started. A command that does not
    ///   exist is not an error here: the shell reports it and exits with status 127.
    public init(command: String, errors: Int32 = STDERR_FILENO) throws(SystemError) {
        // The program that started us may have ignored SIGCHLD, and this process would inherit that. The kernel would
        // then discard the exit statuses of our children, and it might reuse their process IDs while we still send
        // signals to them.
        signal(SIGCHLD, SIG_DFL)
        Self.reapAbandoned()
        let toChild = try Pipe()
        let fromChild: Pipe
        do { fromChild = try Pipe() } catch {
            toChild.close()
            throw error
        }
        do {
            id = try startShell(
                command, input: toChild.readEnd, output: fromChild.writeEnd, errors: errors)
        } catch {
            toChild.close()
            fromChild.close()
            throw error
        }
        closeDescriptor(toChild.readEnd)
        closeDescriptor(fromChild.writeEnd)
        input = toChild.writeEnd
        output = fromChild.readEnd
        // A command that does not read its input must not block this process, which may also run other commands.
        _ = fcntl(toChild.writeEnd, F_SETFL, O_NONBLOCK)
    }

    /// Sends a piece of at most `PIPE_BUF` bytes. The pipe accepts either the whole piece or nothing.
    public func send(_ piece: [UInt8]) -> SendResult {
        guard let input else { return .closed }
        if writeBytes(input, piece.span) == piece.count { return .sent }
        return errno == EAGAIN ? .blocked : .closed
    }

    /// Reads the output that is available now; may block if there is none. Before you call this again, call `nextLine`
    /// until it returns nil.
    ///
    /// - Returns: false at the end of the output, or if reading fails.
    public func read() -> Bool {
        (try? lines.read(from: output)) ?? false
    }

    /// The next complete line; nil when more output is needed.
    public func nextLine() -> LineReader.Line? {
        lines.next()
    }

    /// The last line if it lacks a line end; otherwise nil. Call this after `read` has returned false.
    public func lastLine() -> LineReader.Line? {
        lines.last()
    }

    /// Closes the command's standard input, so that the command reads the end of its input.
    public func closeInput() {
        if let input { closeDescriptor(input) }
        input = nil
    }

    /// Kills the shell and its descendants as `killTree` does, and closes our ends of the pipes. Lines that have not
    /// been read are lost, and neither `input` nor `output` may be used afterwards.
    ///
    /// Waits up to 40 ms for the shell to end. If the shell takes longer, it is reaped later, when a command is started
    /// after the shell has ended.
    ///
    /// - Returns: `words`: a phrase such as "exited with status 3", or "cannot be killed" if the shell has not ended in
    ///   time. `isByKey`: whether SIGINT or SIGQUIT ended the shell, as Ctrl-C or Ctrl-\ in the terminal would.
    public func end() -> (words: String, isByKey: Bool) {
        // The processes are killed before the pipes are closed, because a command may exit by itself when its input
        // ends. Its descendants could then no longer be found.
        killTree(id)
        closeInput()
        closeDescriptor(output)
        guard let status = Self.reap(id) else { return ("cannot be killed", false) }
        let signal = status & 0x7F
        let words = signal == 0 ? "exited with status \(status >> 8 & 0xFF)" : "ended by signal \(signal)"
        return (words, signal == SIGINT || signal == SIGQUIT)
    }

    private static let abandoned = Mutex<[pid_t]>([])

    /// Waits for a killed process to end, but only for a short time, so that our output is not delayed for long.
    /// A process may take longer because it belongs to another user or is stuck in a system call, for example on a
    /// failed disk. Such a process is abandoned for now and reaped later, when a command is started after the process
    /// has ended.
    ///
    /// - Returns: the process's status as `waitpid` reports it; nil when the time is up.
    static func reap(_ process: pid_t, within limit: Duration = .milliseconds(40)) -> Int32? {
        let deadline = Deadline(in: limit)
        while true {
            if let status = status(ofChild: process) { return status }
            guard !deadline.hasPassed() else {
                abandoned.withLock { $0.append(process) }
                return nil
            }
            usleep(200)
        }
    }

    static func reapAbandoned() {
        abandoned.withLock { $0.removeAll { status(ofChild: $0) != nil } }
    }
}
