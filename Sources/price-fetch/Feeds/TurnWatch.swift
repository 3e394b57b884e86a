import PipeCommon

/// Detects that this program was suspended: it then has not taken a turn for a long time. Messages that arrived in the
/// meantime are old, and more of these old messages may still be on the way. Pure.
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
