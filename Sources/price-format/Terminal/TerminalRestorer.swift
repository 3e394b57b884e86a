import PipeCommon

/// The one place where the terminal is restored: at the end, before the job stops, and when a signal ends the
/// program, including a crash. Everything is prepared, because a signal handler must not allocate.
enum TerminalRestorer {
    /// How long to wait for a terminal that accepts no output.
    private static let patience = Duration.milliseconds(300)

    /// The terminal whose alternate screen is shown.
    nonisolated(unsafe) private static var terminal: TerminalDevice?
    nonisolated(unsafe) private static var modes: TerminalModes?

    static func willShowScreen(on device: TerminalDevice) { unsafe terminal = device }
    static func willSet(_ own: TerminalModes) { unsafe modes = own }

    /// Handles the signals whose usual effect is to end the program. Those that the caller ignores stay ignored.
    static func watchSignals() {
        var signals = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS,
            SIGTRAP,
            SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        ]
        #if os(Linux)
            signals += [SIGIO, SIGPWR, SIGSTKFLT] + Array(32...64)
        #endif
        for number in signals {
            handleSignal(number) { number in
                TerminalRestorer.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// Restores the terminal, once. The rest of a frame that is partly written is dropped. A second signal waits, so that
    /// it neither repeats this nor ends the program in the middle of it.
    static func restore() {
        withBlocked(nil) { restoreOnce() }
    }

    private static func restoreOnce() {
        if let terminal = unsafe terminal {
            let (text, deadline) = (AlternateScreen.leaving, Deadline(in: patience))
            if !terminal.isWritable() { terminal.resumeOutput() }
            var written = 0
            while written < text.utf8CodeUnitCount, terminal.isWritable(by: deadline) {
                let count = writeBytes(terminal.descriptor, text, from: written)
                if count > 0 { written += count } else if errno != EINTR { break }
            }
        }
        unsafe modes?.restore()
        unsafe (terminal, modes) = (nil, nil)
    }
}
