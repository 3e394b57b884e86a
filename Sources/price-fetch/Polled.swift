import PipeCommon

/// Something that the poll loop drives: it names the descriptors and the time that it waits for, and does its work
/// when a descriptor is ready or the time is up.
protocol Polled {
    /// What `advance` finds out.
    associatedtype Outcome = Void

    /// The descriptors to wait for, with the events of `poll`.
    var watched: [pollfd] { get }
    /// When `advance` has work to do although no descriptor is ready.
    var nextDeadline: Deadline? { get }
    /// Does what can be done without waiting.
    ///
    /// - Parameter ready: what `poll` has reported of `watched`.
    /// - Returns: what has become known since the last call.
    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> Outcome
}
