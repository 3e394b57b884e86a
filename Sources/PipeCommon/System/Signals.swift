/// Signals as bytes on a pipe: a poll loop watches `descriptor` and handles each signal between two of its steps.
///
/// One at a time in a process. A signal that was ignored when the program started (nohup) stays ignored.
public struct SignalPipe: Sendable {
    // Globals, because a signal handler may touch nothing else.
    nonisolated(unsafe) private static var writeEnd: Int32 = -1
    /// The last signal that asks the program to end; 0 while none has arrived.
    nonisolated(unsafe) private(set) static var termination: Int32 = 0

    /// What replaces standard output when such a signal arrives; -1 to keep it.
    nonisolated(unsafe) private static var sink: Int32 = -1

    /// Readable when a signal has arrived.
    public let descriptor: Int32

    /// - Parameter discardsOutput: whether a signal that asks the program to end discards the output from then on, so
    ///   that the program does not wait for a reader that has stopped.
    public init(_ signals: Int32..., discardsOutput: Bool = false) throws(SystemError) {
        if discardsOutput { unsafe Self.sink = openFile("/dev/null", O_WRONLY | O_CLOEXEC) }
        let pipe = try Pipe()
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        descriptor = pipe.readEnd
        unsafe Self.writeEnd = pipe.writeEnd
        // The last resort, see `receive`.
        signal(SIGALRM) { _ in unsafe TerminationSignal(number: SignalPipe.termination).takeEffect() }
        for number in signals { handleSignal(number, by: Self.receive) }
    }

    /// The next signal that has arrived; nil when there is none.
    public func next() -> Int32? {
        var number: UInt8 = 0
        return unsafe read(descriptor, &number, 1) == 1 ? Int32(number) : nil
    }

    private static let receive: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(SignalPipe.writeEnd, &byte, 1)
        switch number {
        case SIGTSTP, SIGCONT, SIGWINCH: break
        default:
            unsafe SignalPipe.termination = number
            // The system starts an interrupted write again, and then it does not wait.
            if unsafe SignalPipe.sink >= 0 { _ = unsafe dup2(SignalPipe.sink, STDOUT_FILENO) }
            // If the program is stuck, in a write to standard error for example, it ends all the same.
            alarm(1)
        }
        errno = before
    }
}

/// A signal that asks the program to end. It is held back until the program has cleaned up, and then takes its usual
/// effect.
public struct TerminationSignal: Error {
    public let number: Int32

    public init(number: Int32) {
        self.number = number
    }

    /// Starts to hold back SIGINT, SIGTERM and SIGHUP. When one arrives, output that waits for its reader is discarded.
    public static func watch() throws(SystemError) -> SignalPipe {
        try SignalPipe(SIGINT, SIGTERM, SIGHUP, discardsOutput: true)
    }

    public static func check() throws(TerminationSignal) {
        if unsafe SignalPipe.termination != 0 {
            throw unsafe TerminationSignal(number: SignalPipe.termination)
        }
    }

    /// Ends this process by the signal.
    public func takeEffect() {
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// Handles a signal from now on, unless the caller of this program has it ignored (nohup).
///
/// - Parameter handler: nil for the usual effect of the signal.
public func handleSignal(_ number: Int32, by handler: (@convention(c) (Int32) -> Void)?) {
    let former = signal(number, handler)
    if unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
    }
}

/// Does something while a signal is blocked. Safe in a handler of a signal.
public func withBlocked(_ number: Int32, _ act: () -> Void) {
    var (blocked, former) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, number)
    unsafe sigprocmask(SIG_BLOCK, &blocked, &former)
    act()
    unsafe sigprocmask(SIG_SETMASK, &former, nil)
}
