import PipeCommon

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// One run of a source's shell command, with a pipe to its standard input and one from its standard output.
/// Nothing else of ours is open in it, so its input ends when this process is gone, however it went.
final class SourceProcess {
    private let process: pid_t
    private let ticks: Int32
    /// Where its readings come from, to be polled.
    let readings: Int32
    private var lines = LineReader()
    private var hasInput = true

    init(command: String) throws(SystemError) {
        let input = try Pipe()
        let output: Pipe
        do { output = try Pipe() } catch {
            input.close()
            throw error
        }
        do { process = try startShell(command, input: input.readEnd, output: output.writeEnd) } catch {
            input.close()
            output.close()
            throw error
        }
        closeDescriptor(input.readEnd)
        closeDescriptor(output.writeEnd)
        ticks = input.writeEnd
        readings = output.readEnd
        // A source that does not read must not hold up the others.
        _ = fcntl(ticks, F_SETFL, O_NONBLOCK)
    }

    enum Taken {
        case whole, full, closed
    }

    /// Hands a tick to the source, whole or not at all: its pipe is full when it has not read for a long time,
    /// and closed when it has ended.
    func ask(_ tick: Tick) -> Taken {
        let line = tick.line + [UInt8(ascii: "\n")]
        // Shorter than what a pipe takes in one piece.
        if line.withUnsafeBytes({ write(ticks, $0.baseAddress, $0.count) }) == line.count { return .whole }
        return errno == EAGAIN ? .full : .closed
    }

    /// The lines that it has completed since the last call, and whether it has closed its output.
    func newLines() -> (lines: [LineReader.Line], hasEnded: Bool) {
        let bytes: [UInt8]?
        do { bytes = try readAvailable(readings) } catch { bytes = [] }
        lines.append(bytes ?? [])
        var complete: [LineReader.Line] = []
        while let line = lines.next() { complete.append(line) }
        return (complete, bytes?.isEmpty ?? false)
    }

    /// What it has written behind its last line end.
    func lastLine() -> LineReader.Line? {
        lines.last()
    }

    func endInput() {
        if hasInput { closeDescriptor(ticks) }
        hasInput = false
    }

    /// Ends what is left of the source, and says how it had ended.
    func end() -> String {
        endInput()
        killTree(process)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        closeDescriptor(readings)
        let signal = status & 0x7F
        return signal == 0 ? "ended with status \(status >> 8 & 0xFF)" : "ended by signal \(signal)"
    }
}
