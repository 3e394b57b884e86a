/// Signals as bytes on a pipe: a poll loop watches `descriptor` and handles each signal between two of its steps.
///
/// One at a time in a process. A signal that was ignored when the program started (nohup) stays ignored.
public struct SignalPipe: Sendable {
    // Globals, because a signal handler may touch nothing else.
    nonisolated(unsafe) private static var writeEnd: Int32 = -1
    /// The last signal that asks the program to end; 0 while none has arrived.
    nonisolated(unsafe) private(set) static var termination: Int32 = 0

    /// Readable when a signal has arrived.
    public let descriptor: Int32

    public init(_ signals: Int32...) throws(SystemError) {
        let pipe = try Pipe()
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        descriptor = pipe.readEnd
        Self.writeEnd = pipe.writeEnd
        // The last resort, see `receive`.
        signal(SIGALRM) { _ in TerminationSignal(number: SignalPipe.termination).takeEffect() }
        for number in signals {
            let former = signal(number, Self.receive)
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
    }

    /// The next signal that has arrived; nil when there is none.
    public func next() -> Int32? {
        var number: UInt8 = 0
        return readBytes(descriptor, &number, 1) == 1 ? Int32(number) : nil
    }

    private static let receive: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.writeEnd, &byte, 1)
        switch number {
        case SIGTSTP, SIGCONT, SIGWINCH: break
        default:
            SignalPipe.termination = number
            // If the program is stuck, in a write to a reader that has stopped for example, it ends all the same.
            alarm(1)
        }
        errno = before
    }
}
