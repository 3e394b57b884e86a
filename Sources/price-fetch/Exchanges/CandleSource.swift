import PipeCommon

/// An exchange's candles: how to request them, and how to read the rows of the answer.
struct CandleSource: Sendable {
    /// The largest answer that is read, in bytes.
    static let largestBody = 1024 * 1024

    /// The most candles in one answer.
    let most: Int
    /// How many of the latest candles are available, including the open one; nil if all are.
    var last: Int?
    let url: @Sendable (Market, CandleSpan) -> String
    /// The rows in an answer; nil if it has none. Throws an error if the answer is for another market.
    let rows: @Sendable (JSON, Market) throws(InvalidInput) -> [JSON]?
    /// Where a row has the beginning of its candle.
    let time: TimeField
    /// Where a row has the last millisecond of its candle; nil if rows do not have it.
    var end: TimeField?
    /// Where a row has the candle's prices and its volume.
    let fields: CandleFields

    /// The candles to request when one is wanted: from that one to the open one, or as many as fit into an
    /// answer.
    func span(_ candle: Candle, from first: Timestamp, at now: Timestamp) -> CandleSpan {
        let wanted = candle.count(from: first, to: now)
        return CandleSpan(candle: candle, first: first, count: min(wanted, most), isCut: wanted > most)
    }

    /// Why a candle cannot be requested; nil if it can.
    func refusal(of candle: Candle, from beginning: Timestamp, at now: Timestamp) -> FetchError? {
        let name = candle.name(of: beginning)
        let reason: String? =
            if candle.beginning(of: beginning) != beginning {
                "\(beginning.text) is not when a \(candle.rawValue) candle begins"
            } else if beginning > now {
                "the candle of \(name) has not begun"
            } else if beginning.milliseconds < 0 {
                "the candle of \(name) is before 1970"
            } else if let last, candle.count(from: beginning, to: now) > last {
                "the candle of \(name) is too old: only the last \(last) can be asked for"
            } else {
                nil
            }
        return reason.map { .candle(.unsupported, $0) }
    }
}

/// Where a row has a candle's prices, and its volume in units of the base currency.
struct CandleFields: Sendable {
    private let open, high, low, close, volume: JSONPointer
    private let form: JSON.PriceForm

    init(
        open: JSONPointer, high: JSONPointer, low: JSONPointer, close: JSONPointer, volume: JSONPointer,
        as form: JSON.PriceForm
    ) {
        (self.open, self.high, self.low, self.close, self.volume) = (open, high, low, close, volume)
        self.form = form
    }

    /// The close of a candle, and what else its row says. Prices that contradict each other are left out.
    ///
    /// - Throws: an error if the close cannot be read.
    func candle(in row: JSON) throws(InvalidInput) -> (close: Price, range: CandleRange) {
        let close = try row.price(close, as: form)
        var range = CandleRange(
            open: try? row.price(open, as: form), high: try? row.price(high, as: form),
            low: try? row.price(low, as: form), volume: row.volume(volume, as: form))
        let inside = [range.open, close].compactMap { $0?.units }
        let (lowest, highest) = (range.low?.units ?? 0, range.high?.units ?? .max)
        if !inside.allSatisfy({ lowest <= $0 && $0 <= highest }) {
            range = CandleRange(volume: range.volume)
        }
        return (close, range)
    }
}

/// Consecutive candles of one length.
struct CandleSpan: Equatable {
    let candle: Candle
    /// When the first of them begins.
    let first: Timestamp
    let count: Int
    /// Whether more are wanted than fit into an answer.
    var isCut = false

    /// When the last of them begins.
    var last: Timestamp { first + candle.length * (count - 1) }

    /// Whether an answer with these candles is enough for the one that begins at a given time. The last
    /// candle of a cut answer only shows that the one before it is closed.
    func covers(_ beginning: Timestamp) -> Bool {
        (first...last).contains(beginning) && !(isCut && beginning == last)
    }
}

extension Candle {
    var seconds: Int { length.milliseconds / 1000 }

    /// How many candles begin from one time to another, inclusive. The first must be a beginning.
    func count(from first: Timestamp, to last: Timestamp) -> Int {
        (beginning(of: last).milliseconds - first.milliseconds) / length.milliseconds + 1
    }

    /// A candle's name for users: `2026-11-19`, or `2026-11-19 14:05 UTC` if it is shorter than a day.
    func name(of beginning: Timestamp) -> String {
        let text = beginning.text
        return self == .day
            ? String(text.prefix(10)) : "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
