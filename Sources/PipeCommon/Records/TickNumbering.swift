/// Numbers the ticks that arrive without a number, from 0, and dates those that arrive without a time. This is the
/// work of the first stage that reads them.
public struct TickNumbering: Sendable {
    private var next = 0

    public init() {}

    public mutating func complete(_ tick: Tick, at now: Timestamp) -> Tick {
        var tick = tick
        let number = tick.number ?? next
        tick.number = number
        tick.at = tick.at ?? now
        next = number < .max ? number + 1 : 0
        return tick
    }
}
