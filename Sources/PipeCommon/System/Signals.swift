/// Turns signals into bytes on a pipe. A poll loop watches `descriptor`, so it can handle signals outside the signal
/// handler.
///
/// A process uses at most one signal pipe at a time. If a signal passed to the initializer was ignored when the program
/// started, for example under `nohup`, it stays ignored.
public struct SignalPipe: Sendable {
    // These properties are static, because a signal handler cannot capture any context.
    nonisolated(unsafe) private static var writeEnd: Int32?
    /// The latest signal that told the program to end; 0 until such a signal arrives.
    nonisolated(unsafe) private(set) static var termination: Int32 = 0

    /// The descriptor that replaces standard output when a signal tells the program to end. If it is nil, standard
    /// output is not replaced.
    nonisolated(unsafe) fileprivate static var sink: Int32?

    /// The descriptor to poll. It becomes readable when a signal that was passed to the initializer arrives.
    public let descriptor: Int32

    public init(_ signals: Int32...) throws(SystemError) {
        let pipe = try Pipe()
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        descriptor = pipe.readEnd
        unsafe Self.writeEnd = pipe.writeEnd
        // SIGALRM arrives, for example, if the program still runs a second after a termination signal; see `receive`.
        signal(SIGALRM) { alarm in
            let termination = unsafe SignalPipe.termination
            TerminationSignal(number: termination == 0 ? alarm : termination).takeEffect()
        }
        for number in signals { handleSignal(number, by: Self.receive) }
    }

    /// Returns the next signal in the pipe and removes it from there; nil if the pipe is empty.
    public func next() -> Int32? {
        var number: UInt8 = 0
        return unsafe read(descriptor, &number, 1) == 1 ? Int32(number) : nil
    }

    private static let receive: @convention(c) (Int32) -> Void = { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        if let end = unsafe SignalPipe.writeEnd { _ = unsafe write(end, &byte, 1) }
        switch number {
        case SIGTSTP, SIGCONT, SIGWINCH: break
        default:
            unsafe SignalPipe.termination = number
            // If the system restarts an interrupted write to standard output or the program repeats it, the bytes go to
            // the sink, so the write cannot block.
            if let sink = unsafe SignalPipe.sink { dup2(sink, STDOUT_FILENO) }
            // After a second, SIGALRM ends the program even if it is stuck, for example in a write to standard error.
            alarm(1)
        }
        errno = before
    }
}

/// A signal that tells the program to end. It is held back until the program has cleaned up, but for at most a second
/// after the latest such signal; then its default action is carried out, unless the program has already ended.
public struct TerminationSignal: Error {
    public let number: Int32

    public init(number: Int32) {
        self.number = number
    }

    /// Starts holding back SIGINT, SIGTERM and SIGHUP, except those that are ignored. After one of these signals has
    /// been held back, standard output is discarded, so that the program does not wait for a stalled reader.
    ///
    /// - Parameter alsoContinued: whether to report SIGCONT as well.
    public static func watch(alsoContinued: Bool = false) throws(SystemError) -> SignalPipe {
        unsafe SignalPipe.sink = openFile("/dev/null", O_WRONLY | O_CLOEXEC)
        // If SIGCONT is not wanted, SIGINT is in the list twice, which has no effect.
        return try SignalPipe(SIGINT, SIGTERM, SIGHUP, alsoContinued ? SIGCONT : SIGINT)
    }

    /// Throws the signal that told the program to end, if such a signal has arrived.
    public static func check() throws(TerminationSignal) {
        if unsafe SignalPipe.termination != 0 {
            throw unsafe TerminationSignal(number: SignalPipe.termination)
        }
    }

    /// Ends this process with the default action of the signal. Process 1 of a container survives this action; in that
    /// case, the process exits with the status that a shell reports for the signal.
    public func takeEffect() -> Never {
        signal(number, SIG_DFL)
        // While a handler of this signal runs, the signal is blocked, so it is unblocked here.
        var own = sigset_t()
        unsafe sigemptyset(&own)
        unsafe sigaddset(&own, number)
        unsafe sigprocmask(SIG_UNBLOCK, &own, nil)
        raise(number)
        _exit(128 + number)
    }
}

/// Sets the handler of a signal. A signal that was ignored when the program started, for example under `nohup`, stays
/// ignored.
///
/// - Parameter handler: nil for the default action of the signal.
public func handleSignal(_ number: Int32, by handler: (@convention(c) (Int32) -> Void)?) {
    let former = signal(number, handler)
    if unsafe unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
    }
}

/// Blocks a signal while `act` runs. A signal handler may call `withBlocked`.
///
/// - Parameter number: nil for all signals.
public func withBlocked(_ number: Int32?, _ act: () -> Void) {
    var (blocked, former) = (sigset_t(), sigset_t())
    if let number {
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, number)
    } else {
        unsafe sigfillset(&blocked)
    }
    unsafe sigprocmask(SIG_BLOCK, &blocked, &former)
    act()
    unsafe sigprocmask(SIG_SETMASK, &former, nil)
}
