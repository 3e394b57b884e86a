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
        if SignalPipe.termination != 0 { throw TerminationSignal(number: SignalPipe.termination) }
    }

    /// Ends this process by the signal.
    public func takeEffect() {
        signal(number, SIG_DFL)
        raise(number)
    }
}
