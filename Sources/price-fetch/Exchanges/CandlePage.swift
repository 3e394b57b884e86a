import PipeCommon

/// An answer with candles, by the time in each row, and which of them are closed for good. Exchanges
/// differ in the order of the rows, and may omit or repeat some. Pure.
struct CandlePage {
    /// Exchanges may add trades to a candle for up to a minute after its end, some of them even when the
    /// answer already has the next candle.
    private static let settling = Duration.seconds(60)
    /// Without a later candle in the answer, only the exchange's clock shows that a candle has ended, and it
    /// may be wrong by hours. Our own clock is not enough.
    private static let doubt = Duration.seconds(24 * 60 * 60)

    private typealias Row = (close: Price, range: CandleRange)

    private let candle: Candle
    private var rows: [Timestamp: Result<Row, InvalidInput>] = [:]
    private let received: Timestamp
    private let sent: Timestamp?
    private let age: Duration?

    /// - Parameters:
    ///   - sent: when the answer was sent, by the exchange's clock. Ours may be days ahead.
    ///   - age: how long the answer has been in a cache.
    /// - Throws: an error if the answer is for another market, or if its rows are not candles of this length.
    init(
        _ answer: JSON, of market: Market, _ candle: Candle, from source: CandleSource,
        received: Timestamp, sent: Timestamp? = nil, age: Duration? = nil
    ) throws(InvalidInput) {
        (self.candle, self.received, self.sent, self.age) = (candle, received, sent, age)
        guard let list = try source.rows(answer, market) else {
            throw InvalidInput("the answer has no list of candles")
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

    /// Checks that a row is a candle of this length. A candle cut short by an outage may end at an odd time
    /// within a minute.
    private func checkEnd(_ end: Timestamp, of beginning: Timestamp) throws(InvalidInput) {
        let next = end + .milliseconds(1)
        guard next != beginning + candle.length, Candle.minute.beginning(of: next) == next else { return }
        throw InvalidInput("the row of \(beginning.text) is not a \(candle.rawValue) candle")
    }

    private mutating func add(_ beginning: Timestamp, _ row: Result<Row, InvalidInput>) {
        if let known = rows[beginning], known.map(\.close.units) != row.map(\.close.units) {
            let name = candle.name(of: beginning)
            rows[beginning] = .failure(InvalidInput("rows for \(name) that contradict each other"))
        } else {
            rows[beginning] = row
        }
    }

    /// A candle's close, when that price was true, whether it is final, and what else its row says.
    ///
    /// The time of a candle that has ended is its end, and that of an open one when the answer was received;
    /// if only our clock has passed the end, it is the time by the exchange's clock.
    func candle(
        of beginning: Timestamp
    ) throws(InvalidInput) -> (close: Price, range: CandleRange, timestamp: Timestamp, isClosed: Bool) {
        guard let row = rows[beginning] else {
            throw InvalidInput("no candle for \(candle.name(of: beginning))")
        }
        let (close, range) = try row.get()
        let end = beginning + candle.length
        let isFollowed = rows.keys.contains { $0 > beginning }
        // The next candle proves that this one has ended. If the exchange's clock contradicts that, it is
        // wrong.
        let sent = sent.flatMap { isFollowed && $0 < end + (.zero - Self.settling) ? nil : $0 }
        let time = min(received, sent ?? received) + (.zero - (age ?? .zero))
        let hasEnded = isFollowed || sent != nil && time >= end + Self.doubt
        if hasEnded, time >= end + Self.settling { return (close, range, end, true) }
        if received < end { return (close, range, received, false) }
        return (close, range, isFollowed || time >= end ? end : max(time, beginning), false)
    }
}

extension Candle {
    /// - Parameter beginnings: the beginnings of all rows. One may be at an odd time if an exchange resumed
    ///   after an outage.
    /// - Throws: an error if the rows are closer together or further apart than candles of this length.
    fileprivate func checkSpacing(of beginnings: Set<Timestamp>) throws(InvalidInput) {
        let sorted = beginnings.sorted()
        for (row, next) in zip(sorted, sorted.dropFirst())
        where beginning(of: row) == row && next < row + length {
            throw InvalidInput("rows of \(row.text) and \(next.text) are too close for \(rawValue) candles")
        }
        let whole = sorted.filter { beginning(of: $0) == $0 }.map(\.milliseconds)
        let spacing = zip(whole, whole.dropFirst()).reduce(0) { greatestDivisor($0, $1.1 - $1.0) }
        // Candles without trades may be missing, but hardly all those that are not at the start of a longer
        // candle.
        let longer = Candle.allCases.map(\.length).first { $0 > length } ?? length * 7
        if spacing > 0, spacing % longer.milliseconds == 0 {
            throw InvalidInput("rows that are \(spacing / 1000) s apart are not \(rawValue) candles")
        }
    }

    private func greatestDivisor(_ left: Int, _ right: Int) -> Int {
        right == 0 ? left : greatestDivisor(right, left % right)
    }
}
