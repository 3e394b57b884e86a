import PipeCommon

/// Detects that this program was suspended: the program's last turn of the poll loop is then unusually long ago.
/// Messages that arrived during the suspension are old, and further old messages may still arrive. Pure.
struct TurnWatch {
    /// The longest usual time between two turns.
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
    /// - Returns: whether the program was suspended since the last turn, provided that it takes a turn by each deadline.
    mutating func wasSuspended(at now: Deadline.Instant) -> Bool {
        defer { last = now }
        return now - last >= Self.suspension
    }
}
