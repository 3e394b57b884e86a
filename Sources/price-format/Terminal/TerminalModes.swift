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

    let original: termios

    /// - Returns: nil for something that is not a terminal.
    init?(of descriptor: Int32) {
        var modes = termios()
        guard tcgetattr(descriptor, &modes) == 0 else { return nil }
        original = modes
    }

    /// The key that stops the job: Ctrl-Z, unless the user has chosen another one.
    var suspendKey: UInt8 {
        withUnsafeBytes(of: original.c_cc) { $0[Int(VSUSP)] }
    }

    var forKeys: termios {
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
