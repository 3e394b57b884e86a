import PipeCommon

/// Detects that this program was suspended: the time since the last turn of the poll loop is then unusually long.
/// Messages that arrived during the suspension are old, and further old messages may still arrive. Pure.
struct TurnWatch {
    /// The next turn is due this long after the last turn.
    private static let turn = Duration.seconds(1)
    private static let suspension = Duration.seconds(2)

    private var last: Deadline.Instant

    init(at now: Deadline.Instant) {
        last = now
    }

    /// When the next turn must be taken.
    var deadline: Deadline { Deadline(in: Self.turn, from: last) }

    /// Records a turn.
    ///
    /// - Returns: whether the previous turn was so long ago that the program was probably suspended. This is reliable
    ///   only if every turn is taken before its `deadline` or soon after it.
    mutating func wasSuspended(at now: Deadline.Instant) -> Bool {
        defer { last = now }
        return now - last >= Self.suspension
    }
}
