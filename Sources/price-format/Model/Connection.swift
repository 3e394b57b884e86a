import PipeCommon

/// How current the prices of a board are as a whole.
enum Connection: Equatable {
    /// Every symbol had a new quote within two beats.
    case live
    /// Only this many of them had one.
    case partial(Int)
    /// None had one.
    case silent
    /// The clock is stopped.
    case stopped
}

extension Board {
    /// Where only one beat has been seen, the interval is taken to be this long, in milliseconds.
    private static let assumedInterval = 5000

    func connection(at wall: Timestamp) -> Connection {
        if isStopped { return .stopped }
        let count = rows.count { isAnswered($0, at: wall) && beats.count - ($0.freshBeat ?? -1) <= 1 }
        return count == 0 ? .silent : count == rows.count ? .live : .partial(count)
    }

    /// How many symbols have a new quote in their latest reading.
    func freshCount(at wall: Timestamp) -> Int {
        rows.count { !isStale($0, at: wall) }
    }

    /// Whether the price of a row is not current: its latest reading has no new quote, or no reading has arrived for
    /// two beats.
    func isStale(_ row: BoardRow, at wall: Timestamp) -> Bool {
        !row.reading.isFresh || !isAnswered(row, at: wall)
    }

    /// Whether the latest reading arrived within two beats, by the wall clock; in a recording, always. From ahead of now
    /// nobody knows when it arrived: the clock was set back since then.
    private func isAnswered(_ row: BoardRow, at wall: Timestamp) -> Bool {
        let limit = 2 * max(1000, beats.interval ?? Self.assumedInterval)
        return !isLive || abs(wall.milliseconds - row.arrivedAt.milliseconds) <= limit
    }
}
