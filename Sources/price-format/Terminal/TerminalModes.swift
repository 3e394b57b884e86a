import PipeCommon

/// The modes of a terminal whose keys are read one by one, without being echoed. Ctrl-C and Ctrl-\ stay signals.
/// Ctrl-Z becomes a key, so that the terminal is restored before the job stops and the shell prints.
struct TerminalModes {
    // _POSIX_VDISABLE, which Swift does not import.
    #if canImport(Darwin)
        private static let noKey: UInt8 = 0xFF
    #else
        private static let noKey: UInt8 = 0
    #endif

    private let descriptor: Int32
    private let original: termios

    /// - Returns: nil for something that is not a terminal.
    init?(of descriptor: Int32) {
        guard let modes = terminalModes(of: descriptor) else { return nil }
        (self.descriptor, original) = (descriptor, modes)
    }

    /// The key that stops the job: Ctrl-Z, unless the user has chosen another one.
    var suspendKey: UInt8 { original[VSUSP] }

    func set() {
        setTerminalModes(of: descriptor, to: forKeys)
    }

    /// Restores the modes, even from the background: a shell may have taken the terminal back before this program
    /// has ended. Modes that another job has set are left alone. Safe in a signal handler.
    func restore() {
        let own = forKeys
        guard let now = terminalModes(of: descriptor), now.c_lflag == own.c_lflag,
            now.c_iflag == own.c_iflag, now[VSUSP] == own[VSUSP]
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
