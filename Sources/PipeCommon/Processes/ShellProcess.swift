#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One run of a shell command, with a pipe to its standard input and one from its standard output.
/// Nothing else of ours is open in it, so its input ends when this process is gone, however it went.
public final class ShellProcess {
    /// Of its shell.
    public var id: pid_t { process }
    private let process: pid_t
    private let input: Int32
    /// Where its lines come from, to be polled.
    public let output: Int32
    private var lines = LineReader()
    private var hasInput = true

    public init(command: String) throws(SystemError) {
        let toIt = try Pipe()
        let fromIt: Pipe
        do { fromIt = try Pipe() } catch {
            toIt.close()
            throw error
        }
        do { process = try startShell(command, input: toIt.readEnd, output: fromIt.writeEnd) } catch {
            toIt.close()
            fromIt.close()
            throw error
        }
        closeDescriptor(toIt.readEnd)
        closeDescriptor(fromIt.writeEnd)
        input = toIt.writeEnd
        output = fromIt.readEnd
        // A command that does not read must not hold up the others.
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    public enum Taken {
        case whole, full, closed
    }

    /// Hands a line to the command, whole or not at all: its pipe is full when it has not read for a long time,
    /// and closed when it has ended.
    ///
    /// - Parameter line: shorter than what a pipe takes in one piece.
    public func take(_ line: [UInt8]) -> Taken {
        let line = line + [UInt8(ascii: "\n")]
        if line.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == line.count { return .whole }
        return errno == EAGAIN ? .full : .closed
    }

    /// Takes what it has written, when `nextLine` has nothing left.
    ///
    /// - Returns: false when it has closed its output.
    public func read() -> Bool {
        do { return try lines.read(from: output) != .ended } catch { return false }
    }

    /// The next line that it has completed.
    public func nextLine() -> LineReader.Line? {
        lines.next()
    }

    /// What it has written behind its last line end.
    public func lastLine() -> LineReader.Line? {
        lines.last()
    }

    public func endInput() {
        if hasInput { closeDescriptor(input) }
        hasInput = false
    }

    /// Ends what is left of it, and says how it had ended.
    public func end() -> String {
        endInput()
        killTree(process)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        closeDescriptor(output)
        let signal = status & 0x7F
        return signal == 0 ? "ended with status \(status >> 8 & 0xFF)" : "ended by signal \(signal)"
    }
}
