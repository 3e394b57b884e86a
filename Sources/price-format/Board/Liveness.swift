import PipeCommon

/// How current the prices of a board are as a whole. If several cases apply, `stopped` takes precedence, then
/// `recorded`.
enum Liveness: Equatable {
    /// At least one symbol has a current price. Every other symbol either has a current price too, or had a new price
    /// in one of the last two beats and still receives readings.
    case live
    /// At least one symbol has a current price, but not every symbol meets the condition of `live`.
    case partial
    /// No symbol has a current price.
    case silent
    /// The readings are a recording: they come from a file, arrive much faster than the pace of their beats, or
    /// arrive more than a day and a half before or after their beats were due.
    case recorded
    /// The clock is stopped.
    case stopped
}

extension Board {
    /// The interval that `isAnswered` assumes until an interval between beats is known, in milliseconds.
    private static let assumedInterval = 5000

    func liveness(at moment: Moment) -> Liveness {
        if isStopped { return .stopped }
        if !isLive { return .recorded }
        if rows.allSatisfy({ isStale($0, at: moment) }) { return .silent }
        let isWhole = rows.allSatisfy {
            isAnswered($0, at: moment) && ($0.isFresh || beats.count - ($0.freshBeat ?? -1) <= 1)
        }
        return isWhole ? .live : .partial
    }

    /// How many symbols have a current price, such as `2 of 4 current`.
    func currentCount(at moment: Moment) -> String {
        "\(rows.count { !isStale($0, at: moment) }) of \(rows.count) current"
    }

    /// Whether the price of a row is not current. A price is current if the row's latest reading contains a new quote
    /// and meets the condition of `isAnswered`.
    func isStale(_ row: BoardRow, at moment: Moment) -> Bool {
        !row.isFresh || !isAnswered(row, at: moment)
    }

    /// Whether a row's latest reading arrived within the last two seconds or, if that is longer, within twice the
    /// interval between beats. If the clock was started again after that reading, this time is counted from the
    /// restart. While the clock is stopped, no time passes. Always true in a recording.
    private func isAnswered(_ row: BoardRow, at moment: Moment) -> Bool {
        let limit = 2 * max(1000, beats.interval ?? Self.assumedInterval)
        let expected = max(row.arrivedAt, resumed ?? row.arrivedAt)
        return !isLive || ((stopped ?? moment).instant - expected).milliseconds <= limit
    }
}

/// A moment by the wall clock and by the monotonic clock, which measures how long ago something arrived.
struct Moment {
    var wall: Timestamp
    var instant: Deadline.Instant

    static var now: Moment { Moment(wall: .now(), instant: .now) }
}

/// Determines whether readings arrive no faster than at the pace of their beats; the readings of a recording usually
/// arrive faster. The pace is measured by the monotonic clock, because the beats may be set by another machine, whose
/// wall clock may differ from ours. Pure.
struct Pace {
    /// The tolerance in milliseconds: live readings may seem to arrive too early, for example because the first answer
    /// took longer than later answers.
    private static let slack = 2000
    /// The limit for `ahead`, so that it does not overflow.
    private static let most = 1 << 60

    private(set) var isLive = true
    /// When the latest beat was due, and when its first reading arrived.
    private var latest: (due: Timestamp, arrived: Deadline.Instant)?
    /// How many milliseconds too early the latest beat arrived, counted from the beginning of the measurement; negative
    /// if it arrived too late. The interval between two consecutive beats counts only if the second beat was due later
    /// than the first beat.
    private var ahead = 0

    mutating func beginBeat(due: Timestamp?, at now: Deadline.Instant) {
        guard let due else {
            latest = nil
            return
        }
        if let latest, due > latest.due {
            let step = due.milliseconds - latest.due.milliseconds
            let elapsed = (now - latest.arrived).milliseconds
            // If beats that were ahead keep pace again, the clock that sets the beats was probably set forward. The
            // measurement then starts again.
            let keepsPace = 2 * elapsed >= step
            ahead = keepsPace && ahead > Self.slack ? 0 : min(ahead + step - elapsed, Self.most)
            isLive = ahead <= Self.slack
        }
        latest = (due, now)
    }

    /// The approximate time by the clock that sets the beats or, if `isLive` is false, the time of the latest beat. Nil
    /// before the first beat, or if the latest beat has no time.
    func time(at now: Deadline.Instant) -> Timestamp? {
        latest.map { isLive ? $0.due + (now - $0.arrived) : $0.due }
    }
}
