import PipeCommon

/// Candles of one length that follow each other.
struct CandleRange: Equatable {
    let candle: Candle
    /// When the first of them begins.
    let first: Timestamp
    let count: Int
    /// Whether more are wanted than fit into an answer.
    var isCut = false

    /// When the last of them begins.
    var last: Timestamp { first + candle.length * (count - 1) }

    /// Whether an answer with these candles is enough for the one that begins then. The last one of a cut answer only
    /// shows that the one before it is closed.
    func covers(_ beginning: Timestamp) -> Bool {
        (first...last).contains(beginning) && !(isCut && beginning == last)
    }
}

extension Candle {
    var seconds: Int { length.milliseconds / 1000 }

    /// How many candles begin from one time to another, both included if they are beginnings.
    func count(from first: Timestamp, to last: Timestamp) -> Int {
        (beginning(of: last).milliseconds - first.milliseconds) / length.milliseconds + 1
    }

    /// What people call a candle: `2026-11-19`, or `2026-11-19 14:05 UTC` if it is shorter than a day.
    func name(of beginning: Timestamp) -> String {
        let text = beginning.text
        return self == .day
            ? String(text.prefix(10)) : "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
