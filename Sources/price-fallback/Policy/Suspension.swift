import PipeCommon

/// Decides whether a loop that runs later than expected was suspended rather than delayed by a busy machine. Pure.
struct Suspension {
    /// A delay of at most this length is ignored.
    private static let shortest = Duration.seconds(1)

    private var sleepTime: Duration
    private var wasContinued = false

    /// - Parameter sleepTime: how long the machine has slept so far.
    init(sleepTime: Duration) {
        self.sleepTime = sleepTime
    }

    /// Records that the process received SIGCONT.
    mutating func recordContinued() {
        wasContinued = true
    }

    /// - Parameters:
    ///   - late: how late the loop is.
    ///   - sleepTime: how long the machine has slept so far.
    /// - Returns: true if the loop is late because it was suspended; false if the delay has another cause or is short
    ///   enough to be ignored.
    mutating func explains(late: Duration, sleepTime: Duration) -> Bool {
        defer { (wasContinued, self.sleepTime) = (false, sleepTime) }
        let hasSlept = sleepTime - self.sleepTime > .milliseconds(100)
        return late > Self.shortest && (wasContinued || hasSlept)
    }
}
