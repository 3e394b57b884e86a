import PipeCommon

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A signal that asks the program to end: SIGINT, SIGTERM or SIGHUP. It is held until the sources are ended,
/// and then has its usual effect.
struct TerminationSignal: Error {
    /// Read from a handler's own global, since that is all that a handler may touch.
    nonisolated(unsafe) private static var received: Int32 = 0
    nonisolated(unsafe) private static var wakeEnd: Int32 = -1

    let number: Int32

    /// - Returns: a descriptor that can be read from when such a signal has come.
    static func watch() throws(SystemError) -> Int32 {
        let wake = try Pipe()
        wakeEnd = wake.writeEnd
        for number in [SIGINT, SIGTERM, SIGHUP] {
            // Who started us with a signal ignored (nohup) wants it ignored.
            let former = signal(number) { number in
                TerminationSignal.received = number
                _ = write(TerminationSignal.wakeEnd, "!", 1)
                // Should the program be held up, by a reader of a recording say, it ends all the same.
                alarm(1)
            }
            if unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
        signal(SIGALRM) { _ in TerminationSignal(number: TerminationSignal.received).takeEffect() }
        return wake.readEnd
    }

    static var hasCome: Bool { received != 0 }

    static func check() throws(TerminationSignal) {
        if hasCome { throw TerminationSignal(number: received) }
    }

    /// Ends this process by the signal.
    func takeEffect() {
        signal(number, SIG_DFL)
        raise(number)
    }
}
