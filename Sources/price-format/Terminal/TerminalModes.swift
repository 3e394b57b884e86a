import PipeCommon

/// The modes of a terminal whose keys are read one by one, without being shown. Ctrl-C and Ctrl-\ stay signals. Ctrl-Z
/// becomes a key, so that the terminal is restored before the job stops and the shell prints.
struct TerminalModes {
    // _POSIX_VDISABLE, which Swift does not see.
    #if canImport(Darwin)
        private static let noKey: UInt8 = 0xFF
    #else
        private static let noKey: UInt8 = 0
    #endif

    private let descriptor: Int32
    private let original: termios

    /// - Returns: nil for something that is not a terminal.
    init?(of descriptor: Int32) {
        var modes = termios()
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
        (self.descriptor, original) = (descriptor, modes)
    }

    /// The key that stops the job: Ctrl-Z, unless the user has chosen another one.
    var suspendKey: UInt8 { Self.key(VSUSP, of: original) }

    func set() {
        var modes = forKeys
        tcsetattr(descriptor, TCSANOW, &modes)
    }

    /// Restores the modes, also from the background: a shell may have taken the terminal back before this program has
    /// ended. Modes that another job has set are left alone. Safe in a handler of a signal.
    func restore() {
        var (now, own, original) = (termios(), forKeys, original)
        guard tcgetattr(descriptor, &now) == 0, now.c_lflag == own.c_lflag, now.c_iflag == own.c_iflag,
            Self.key(VSUSP, of: now) == Self.key(VSUSP, of: own)
        else { return }
        var (stop, former) = (sigset_t(), sigset_t())
        sigemptyset(&stop)
        sigaddset(&stop, SIGTTOU)
        sigprocmask(SIG_BLOCK, &stop, &former)
        tcsetattr(descriptor, TCSANOW, &original)
        sigprocmask(SIG_SETMASK, &former, nil)
    }

    private static func key(_ key: Int32, of modes: termios) -> UInt8 {
        withUnsafeBytes(of: modes.c_cc) { $0[Int(key)] }
    }

    private var forKeys: termios {
        var modes = original
        modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
        withUnsafeMutableBytes(of: &modes.c_cc) { keys in
            keys[Int(VMIN)] = 1
            keys[Int(VTIME)] = 0
            keys[Int(VSUSP)] = Self.noKey
        }
        return modes
    }
}
