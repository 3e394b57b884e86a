import PipeCommon

/// An object that the poll loop drives: it provides the descriptors and the deadline that it waits for, and
/// does its work when a descriptor is ready or the deadline has passed.
protocol Polled {
    /// The result of `advance`.
    associatedtype Outcome = Void

    /// The descriptors to wait for, with their events for `poll`.
    var watched: [pollfd] { get }
    /// When `advance` has work to do even if no descriptor is ready.
    var nextDeadline: Deadline? { get }
    /// Does all the work that is possible without waiting.
    ///
    /// - Parameter ready: what `poll` has reported for `watched`.
    /// - Returns: what has happened since the last call.
    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> Outcome
}
