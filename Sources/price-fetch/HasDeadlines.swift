import PipeCommon

/// Something that waits for answers, for each until a deadline; who uses it sees to it that they are kept.
protocol HasDeadlines: Sendable {
    /// The first one of all that is under way.
    var nextDeadline: Deadline? { get }

    /// Gives up what has passed its deadline.
    func giveUp(at now: Deadline.Instant)
}
