import PipeCommon

/// The latest reading of each symbol and its last change, in the order in which the symbols first appeared.
/// Pure.
struct Board {
    /// Readings whose tick is further than this from now, in milliseconds, come from a recording.
    private static let liveAge = 60_000

    struct Row: Equatable {
        var reading: Reading
        /// The change that the last new quote brought; nil when it brought none.
        var change: PriceChange?
    }

    private(set) var rows: [Row] = []
    /// How many ticks or groups of ticks for the same moment have been answered.
    private(set) var beats = 0
    private var at: Timestamp?
    private var isLive = true

    mutating func record(_ reading: Reading, at wall: Timestamp = .now()) {
        if reading.at == nil || reading.at != at { beats += 1 }
        at = reading.at
        isLive = at.map { abs(wall.milliseconds - $0.milliseconds) < Self.liveAge } ?? true
        let index = rows.firstIndex { $0.reading.pricedSymbol == reading.pricedSymbol }
        guard let index else {
            rows.append(Row(reading: reading))
            return
        }
        if reading.isFresh {
            rows[index].change = PriceChange(from: rows[index].reading, to: reading)
        }
        rows[index].reading = reading
    }

    /// The time by which ages count: that of the wall clock; in a recording, that of the last tick.
    func now(_ wall: Timestamp) -> Timestamp {
        isLive ? wall : at ?? wall
    }
}
