/// Numbers the ticks that come without a number, from 0, and dates those that come without a time: the
/// work of the first stage that reads them.
public struct TickNumbering: Sendable {
    /// What the next tick without a number gets.
    public private(set) var next: Int

    public init(from next: Int = 0) {
        self.next = next
    }

    public mutating func complete(_ tick: Tick, at now: Timestamp) -> Tick {
        var tick = tick
        let number = tick.number ?? next
        tick.number = number
        tick.at = tick.at ?? now
        next = number < .max ? number + 1 : 0
        return tick
    }
}
