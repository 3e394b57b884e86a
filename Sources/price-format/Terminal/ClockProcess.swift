import PipeCommon

/// The process whose ticks are answered. While it is stopped nothing is asked for.
struct ClockProcess {
    let id: pid_t

    /// - Returns: false if there is no such process, or it is another user's.
    func stop() -> Bool {
        // Before the signal: whatever ends this program from here on, the clock goes on.
        TerminalRescue.stoppedProcess = id
        if kill(id, SIGSTOP) == 0 { return true }
        TerminalRescue.stoppedProcess = 0
        return false
    }

    func resume() -> Bool {
        TerminalRescue.stoppedProcess = 0
        return kill(id, SIGCONT) == 0
    }
}
