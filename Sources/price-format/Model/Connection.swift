import PipeCommon

/// How current the prices of a board are as a whole.
enum Connection: Equatable {
    /// Every symbol had a new quote within two beats.
    case live
    /// Only this many of them have one.
    case partial(Int)
    /// None has one.
    case silent
    /// Readings arrive faster than their beats: they are recorded.
    case recorded
    /// The clock is stopped.
    case stopped
}

extension Board {
    /// Where only one beat has been seen, the interval is taken to be this long, in milliseconds.
    private static let assumedInterval = 5000

    func connection(at moment: Moment) -> Connection {
        if isStopped { return .stopped }
        if !isLive { return .recorded }
        let count = freshCount(at: moment)
        if count == 0 { return .silent }
        let isWhole = rows.allSatisfy {
            isAnswered($0, at: moment) && beats.count - ($0.freshBeat ?? -1) <= 1
        }
        return isWhole ? .live : .partial(count)
    }

    /// How many symbols have a new quote in their latest reading.
    func freshCount(at moment: Moment) -> Int {
        rows.count { !isStale($0, at: moment) }
    }

    /// Whether the price of a row is not current: its latest reading has no new quote, or no reading has arrived for
    /// two beats.
    func isStale(_ row: BoardRow, at moment: Moment) -> Bool {
        !row.reading.isFresh || !isAnswered(row, at: moment)
    }

    /// Whether the latest reading arrived within two beats; in a recording, always.
    private func isAnswered(_ row: BoardRow, at moment: Moment) -> Bool {
        let limit = 2 * max(1000, beats.interval ?? Self.assumedInterval)
        return !isLive || (moment.instant - row.arrivedAt).milliseconds <= limit
    }
}
