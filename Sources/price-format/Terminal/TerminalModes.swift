import PipeCommon

/// The modes of a terminal whose keys are read one by one and not echoed. Ctrl-C and Ctrl-\ still send signals. Ctrl-Z
/// is read as a key, so that the terminal is restored before the job stops and the shell prints its prompt.
struct TerminalModes {
    // The value of _POSIX_VDISABLE, which Swift does not import.
    #if canImport(Darwin)
        private static let noKey: UInt8 = 0xFF
    #else
        private static let noKey: UInt8 = 0
    #endif

    private let descriptor: Int32
    private let original: termios

    /// - Returns: nil if the descriptor is not a terminal.
    init?(of descriptor: Int32) {
        guard let modes = terminalModes(of: descriptor) else { return nil }
        (self.descriptor, original) = (descriptor, modes)
    }

    /// The byte of the key that stops the job: Ctrl-Z, unless the user changed this setting.
    var suspendKey: UInt8 { original[VSUSP] }

    func set() {
        setTerminalModes(of: descriptor, to: forKeys)
    }

    /// Restores the original modes, even if this job is in the background, because a shell may take the terminal back
    /// before this program ends. Does nothing if the input modes, the local modes or the suspend key have been changed
    /// since the call of `set`, for example by another job. Safe in a signal handler.
    func restore() {
        let own = forKeys
        // On macOS, the terminal's driver itself sets and clears PENDIN.
        guard let now = terminalModes(of: descriptor),
            now.c_lflag | tcflag_t(PENDIN) == own.c_lflag | tcflag_t(PENDIN), now.c_iflag == own.c_iflag,
            now[VSUSP] == own[VSUSP]
        else { return }
        withBlocked(SIGTTOU) { setTerminalModes(of: descriptor, to: original) }
    }

    private var forKeys: termios {
        var modes = original
        modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
        modes[VMIN] = 1
        modes[VTIME] = 0
        modes[VSUSP] = Self.noKey
        return modes
    }
}

/// Restores the terminal at the end of the program, before Ctrl-Z or SIGTSTP stops the job, and when a signal that
/// `watchSignals` handles ends the program, for example after a crash. Everything is prepared in advance, because a
/// signal handler must not allocate memory.
enum TerminalRestorer {
    /// How long to wait for a terminal that does not accept output.
    private static let patience = Duration.milliseconds(300)

    /// The terminal whose alternate screen is shown.
    nonisolated(unsafe) private static var terminal: TerminalDevice?
    nonisolated(unsafe) private static var modes: TerminalModes?

    static func willShowScreen(on device: TerminalDevice) { unsafe terminal = device }
    static func willSet(_ own: TerminalModes) { unsafe modes = own }

    /// Installs handlers that restore the terminal before a signal such as SIGINT ends the program. Signals that are
    /// already ignored stay ignored.
    static func watchSignals() {
        var signals = [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS,
            SIGTRAP,
            SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU,
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

    /// Restores the terminal if it has not been restored yet. If a frame is only partly written, the rest of the frame
    /// is dropped. Signals are blocked during the restoration, so that they neither repeat nor interrupt it.
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
                if count > 0 {
                    written += count
                } else if errno == EAGAIN, !deadline.hasPassed() {
                    // This happens, for example, while another process is writing to the terminal.
                    usleep(1000)
                } else if errno != EINTR {
                    break
                }
            }
        }
        unsafe modes?.restore()
        unsafe (terminal, modes) = (nil, nil)
    }
}
