import PipeCommon

/// An exchange's candles: how to request them, and how to read the rows of the answer.
struct CandleSource: Sendable {
    /// The maximum size of an answer, in bytes.
    static let largestBody = 1024 * 1024

    /// The maximum number of candles that may be requested at once.
    let most: Int
    /// How many of the latest candles may be requested, including the open candle; nil if there is no such limit.
    var last: Int?
    /// Whether the exchange's day candles begin at midnight UTC.
    var hasDays = true
    let url: @Sendable (Market, CandleSpan) -> String
    /// The rows in an answer; nil if the answer does not contain a list of rows. For an exchange whose answers name
    /// their market, throws an error if this answer does not name the given market, or if it also names another market.
    let rows: @Sendable (JSON, Market) throws(InvalidInput) -> [JSON]?
    /// Where a row contains the time at which its candle begins.
    let time: TimeField
    /// Where a row contains the last millisecond of its candle; nil if rows do not contain that time.
    var end: TimeField?
    /// Where a row contains the prices and the volume of its candle.
    let fields: CandleFields

    /// The candles to request: all candles from the candle that begins at `first` to the open candle, but at least the
    /// first candle and no more than fit into one answer.
    func span(_ candle: Candle, from first: Timestamp, at now: Timestamp) -> CandleSpan {
        // Since the first candle was requested, the clock may have been set back to a time before that candle.
        let wanted = max(1, candle.count(from: first, to: now))
        return CandleSpan(candle: candle, first: first, count: min(wanted, most), isCut: wanted > most)
    }

    /// Why a candle cannot be requested; nil if it can be requested.
    func refusal(of candle: Candle, from beginning: Timestamp, at now: Timestamp) -> FetchError? {
        let name = candle.name(of: beginning)
        let reason: String? =
            if candle == .day, !hasDays {
                "its 1d candles do not begin at midnight UTC"
            } else if candle.beginning(of: beginning) != beginning {
                "\(beginning.text) is not the start of a \(candle.rawValue) candle"
            } else if beginning > now {
                "the candle of \(name) has not begun"
            } else if beginning.milliseconds < 0 {
                "the candle of \(name) is before 1970"
            } else if let last, candle.count(from: beginning, to: now) > last {
                "the candle of \(name) is too old: only the last \(last) can be requested"
            } else {
                nil
            }
        return reason.map { .candle(.unsupported, $0) }
    }
}

/// Where a row contains the prices of its candle, and the volume in units of the base currency.
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

    /// A candle's close, its other prices and its volume. If the prices contradict each other, all prices except the
    /// close are left out.
    ///
    /// - Throws: an error if the close cannot be read.
    func candle(in row: JSON) throws(InvalidInput) -> (close: Price, range: CandleRange) {
        let close = try row.price(close, as: form)
        var range = CandleRange(
            open: try? row.price(open, as: form), high: try? row.price(high, as: form),
            low: try? row.price(low, as: form), volume: row.volume(volume, as: form))
        let inside = [range.open, close].compactMap { $0?.units }
        let (lowest, highest) = (range.low?.units ?? .min, range.high?.units ?? .max)
        if !inside.allSatisfy({ lowest <= $0 && $0 <= highest }) {
            range = CandleRange(volume: range.volume)
        }
        return (close, range)
    }
}

/// Consecutive candles of the same length.
struct CandleSpan: Equatable {
    let candle: Candle
    /// When the first candle begins.
    let first: Timestamp
    let count: Int
    /// Whether more candles were wanted than fit into one answer.
    let isCut: Bool

    /// When the last candle begins.
    var last: Timestamp { first + candle.length * (count - 1) }

    /// Whether an answer with these candles is enough to answer a tick for the candle that begins at a given time. If
    /// `isCut` is true, the last candle serves only as proof that the preceding candle is closed.
    func covers(_ beginning: Timestamp) -> Bool {
        (first...last).contains(beginning) && !(isCut && beginning == last)
    }
}

extension Candle {
    var seconds: Int { length.milliseconds / 1000 }

    /// How many candles begin between two times, inclusive; zero or less if `last` is before `first`. `first` must be
    /// the beginning of a candle.
    func count(from first: Timestamp, to last: Timestamp) -> Int {
        (beginning(of: last).milliseconds - first.milliseconds) / length.milliseconds + 1
    }

    /// A candle's name for users, such as `2026-11-19`, or `2026-11-19 14:05 UTC` if the candle is shorter than a day.
    func name(of beginning: Timestamp) -> String {
        let text = beginning.text
        return self == .day
            ? String(text.prefix(10)) : "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}

/// Reads the candles in an answer, identifies each candle by the time in its row, and decides which candles are final.
/// Exchanges send the rows in different orders and may omit or repeat some rows. Pure.
struct CandlePage {
    /// Exchanges may add trades to a candle for up to a minute after its end, in some cases even when their
    /// answers already contain the next candle.
    private static let settling = Duration.seconds(60)
    /// If an answer contains no later candle, the exchange's clock must show that a candle has ended. That clock may be
    /// wrong by hours, so it must show a time at least this long after the candle's end. Our own clock is not enough.
    private static let doubt = Duration.seconds(24 * 60 * 60)

    private typealias Row = (close: Price, range: CandleRange)

    private let candle: Candle
    private var rows: [Timestamp: Result<Row, InvalidInput>] = [:]
    private let received: Timestamp
    private let sent: Timestamp?
    private let age: Duration?

    /// - Parameters:
    ///   - sent: when the answer was sent, according to the exchange's clock; nil if this is not known. Needed because
    ///     our own clock may be days ahead.
    ///   - age: how long the answer has been in a cache; nil if this is not known.
    /// - Throws: an error if the answer cannot be read or names another market, or if `checkSpacing` rejects the times
    ///   at which its rows begin.
    init(
        _ answer: JSON, of market: Market, _ candle: Candle, from source: CandleSource,
        received: Timestamp, sent: Timestamp? = nil, age: Duration? = nil
    ) throws(InvalidInput) {
        (self.candle, self.received, self.sent, self.age) = (candle, received, sent, age)
        guard let list = try source.rows(answer, market) else {
            throw InvalidInput("the answer contains no list of candles")
        }
        var beginnings: Set<Timestamp> = []
        for row in list {
            let beginning = try source.time.time(in: row)
            beginnings.insert(beginning)
            guard candle.beginning(of: beginning) == beginning else { continue }
            add(
                beginning,
                Result { () throws(InvalidInput) in
                    if let end = source.end { try checkEnd(try end.time(in: row), of: beginning) }
                    return try source.fields.candle(in: row)
                })
        }
        try candle.checkSpacing(of: beginnings)
    }

    /// Checks that a row is a candle of this length. A candle that was cut short by an outage may end in the middle of
    /// a minute; such a row is accepted.
    private func checkEnd(_ end: Timestamp, of beginning: Timestamp) throws(InvalidInput) {
        let next = end + .milliseconds(1)
        guard next != beginning + candle.length, Candle.minute.beginning(of: next) == next else { return }
        throw InvalidInput("the row that begins at \(beginning.text) is not a \(candle.rawValue) candle")
    }

    private mutating func add(_ beginning: Timestamp, _ row: Result<Row, InvalidInput>) {
        if let known = rows[beginning], known.map(\.close.units) != row.map(\.close.units) {
            let name = candle.name(of: beginning)
            rows[beginning] = .failure(InvalidInput("the rows for \(name) contradict each other"))
        } else {
            rows[beginning] = row
        }
    }

    /// Returns a candle's close, its other prices and its volume, the time of the close, and whether the close is
    /// final.
    ///
    /// The time of the close is:
    /// - the time when the answer was received, if our own clock does not show that the candle has ended;
    /// - the candle's end, if our clock shows that the candle has ended, and a later candle in the answer or the time
    ///   of the answer confirms this;
    /// - otherwise the time of the answer, but no earlier than the candle's beginning.
    ///
    /// The time of the answer is the time when it was sent if that time is known, plausible and earlier than the time
    /// when it was received; otherwise, it is the time when it was received. In both cases, the answer's age, if known,
    /// is subtracted.
    ///
    /// - Throws: an error if the answer does not contain a row for this candle, or if the row cannot be read, is not a
    ///   candle of the expected length, or contradicts another row for this candle.
    func candle(
        of beginning: Timestamp
    ) throws(InvalidInput) -> (close: Price, range: CandleRange, timestamp: Timestamp, isClosed: Bool) {
        guard let row = rows[beginning] else {
            throw InvalidInput("no candle for \(candle.name(of: beginning))")
        }
        let (close, range) = try row.get()
        let end = beginning + candle.length
        let isFollowed = rows.keys.contains { $0 > beginning }
        // A later candle in the answer proves that this candle has ended. If the exchange's clock clearly contradicts
        // that, the clock is wrong and is ignored.
        let sent = sent.flatMap { isFollowed && $0 < end + (.zero - Self.settling) ? nil : $0 }
        let time = min(received, sent ?? received) + (.zero - (age ?? .zero))
        let hasEnded = isFollowed || sent != nil && time >= end + Self.doubt
        if hasEnded, time >= end + Self.settling { return (close, range, end, true) }
        if received < end { return (close, range, received, false) }
        return (close, range, isFollowed ? end : min(end, max(time, beginning)), false)
    }
}

extension Candle {
    /// - Parameter beginnings: the times of all rows. If the exchange resumed trading after an outage, a row may have
    ///   an irregular time, at which no candle normally begins. Such a row may be less than one candle length before
    ///   the next row.
    /// - Throws: an error if a row with a regular time is followed by a row less than one candle length later, or if
    ///   there are at least two rows with regular times and all intervals between them are multiples of the next
    ///   longer candle's length (a week if the candles are days).
    fileprivate func checkSpacing(of beginnings: Set<Timestamp>) throws(InvalidInput) {
        let sorted = beginnings.sorted()
        for (row, next) in zip(sorted, sorted.dropFirst())
        where beginning(of: row) == row && next < row + length {
            throw InvalidInput(
                "the rows at \(row.text) and \(next.text) are too close together for \(rawValue) candles")
        }
        let whole = sorted.filter { beginning(of: $0) == $0 }.map(\.milliseconds)
        let spacing = zip(whole, whole.dropFirst()).reduce(0) { greatestDivisor($0, $1.1 - $1.0) }
        // Candles without trades may be missing, but the remaining rows are rarely all as far apart as longer candles.
        let longer = Candle.allCases.map(\.length).first { $0 > length } ?? length * 7
        if spacing > 0, spacing % longer.milliseconds == 0 {
            throw InvalidInput("rows that are \(spacing / 1000) s apart are not \(rawValue) candles")
        }
    }

    private func greatestDivisor(_ left: Int, _ right: Int) -> Int {
        right == 0 ? left : greatestDivisor(right, left % right)
    }
}
