import PipeCommon

/// Restores the terminal when a signal ends the program immediately: after a crash, or for a
/// signal that is not handled in another way. Everything that the handler needs is prepared, because it must not allocate.
enum TerminalRescue {
    nonisolated(unsafe) private static var terminal: Int32 = -1
    nonisolated(unsafe) private static var modes: TerminalModes?
    nonisolated(unsafe) private static var text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64)
    nonisolated(unsafe) private static var count = 0

    /// Handles the signals whose usual effect is to end the program and for which the session has no other way. Those
    /// that the caller ignores stay ignored.
    static func watchSignals() {
        var signals = [
            SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
            SIGXCPU,
        ]
        #if os(Linux)
            signals += [SIGIO, SIGPWR, SIGSTKFLT] + Array(32...64)
        #endif
        for number in signals {
            handleSignal(number) { number in
                TerminalRescue.restore()
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    /// - Parameters:
    ///   - text: restores what the terminal shows; at most 64 bytes.
    ///   - modes: what is restored; nil if the modes were not changed.
    static func arm(_ descriptor: Int32, _ text: String, _ modes: TerminalModes?) {
        count = Self.text.update(fromContentsOf: Array(text.utf8))
        Self.modes = modes
        terminal = descriptor
    }

    static func disarm() {
        terminal = -1
    }

    private static func restore() {
        guard terminal >= 0 else { return }
        _ = write(terminal, text.baseAddress, count)
        modes?.restore()
    }
}
