import PipeCommon

/// An answer with candles: the closing price of each, by the time in its own row, and which of them are closed for good.
/// Exchanges differ in the order of their rows, and may leave out some or repeat some. Pure.
struct CandlePage {
    /// Trades are still added to a candle for up to a minute after its end, by some exchanges even when the answer has
    /// the next candle already.
    private static let settling = Duration.seconds(60)
    /// Without a later candle in the answer, only the exchange's clock shows that a candle has ended, and it may be wrong
    /// by hours. Ours alone does not.
    private static let doubt = Duration.seconds(24 * 60 * 60)

    private let candle: Candle
    private var closes: [Timestamp: Result<Price, InvalidInput>] = [:]
    private let received: Timestamp
    private let sent: Timestamp?
    private let age: Duration?

    /// - Parameters:
    ///   - sent: when it was sent, by the exchange's clock: ours may be days ahead.
    ///   - age: how long it has been in a cache.
    /// - Throws: when the answer is not of the pair, or its rows are not candles of this length.
    init(
        _ answer: JSON, of pair: TradingPair, _ candle: Candle, from source: CandleSource,
        received: Timestamp, sent: Timestamp? = nil, age: Duration? = nil
    ) throws(InvalidInput) {
        (self.candle, self.received, self.sent, self.age) = (candle, received, sent, age)
        guard let rows = try source.rows(answer, pair) else {
            throw InvalidInput("the answer has no list of candles")
        }
        var beginnings: Set<Timestamp> = []
        for row in rows {
            let beginning = try source.time.time(in: row)
            beginnings.insert(beginning)
            guard candle.beginning(of: beginning) == beginning else { continue }
            add(
                beginning,
                Result { () throws(InvalidInput) in
                    if let end = source.end { try checkEnd(try end.time(in: row), of: beginning) }
                    return try source.close(row)
                })
        }
        try candle.checkSpacing(of: beginnings)
    }

    /// A candle that an outage has cut may end at an odd time.
    private func checkEnd(_ end: Timestamp, of beginning: Timestamp) throws(InvalidInput) {
        let next = end + .milliseconds(1)
        guard next != beginning + candle.length, Candle.minute.beginning(of: next) == next else { return }
        throw InvalidInput("the row of \(beginning.text) is not a \(candle.rawValue) candle")
    }

    private mutating func add(_ beginning: Timestamp, _ close: Result<Price, InvalidInput>) {
        if let known = closes[beginning], known.map(\.value) != close.map(\.value) {
            let name = candle.name(of: beginning)
            closes[beginning] = .failure(InvalidInput("rows for \(name) that contradict each other"))
        } else {
            closes[beginning] = close
        }
    }

    func price(of beginning: Timestamp) throws(InvalidInput) -> Price {
        guard let close = closes[beginning] else {
            throw InvalidInput("no candle for \(candle.name(of: beginning))")
        }
        return try close.get()
    }

    /// The closing price of a candle, and its time: the end of the candle if it is closed for good. Otherwise it may
    /// change, and the time is when we received it, but always before the end, because the end means that it is closed: by
    /// the clock of the exchange if only ours has passed the end, or else the last millisecond.
    func close(of beginning: Timestamp) throws(InvalidInput) -> (price: Price, timestamp: Timestamp) {
        let price = try price(of: beginning)
        let end = beginning + candle.length
        let isFollowed = closes.keys.contains { $0 > beginning }
        // The next candle shows that this one has ended, and that the clock of an exchange which denies that is wrong.
        let sent = sent.flatMap { isFollowed && $0 < end + (.zero - Self.settling) ? nil : $0 }
        let time = min(received, sent ?? received) + (.zero - (age ?? .zero))
        let hasEnded = isFollowed || sent != nil && time >= end + Self.doubt
        if hasEnded, time >= end + Self.settling { return (price, end) }
        if received < end { return (price, received) }
        return (price, isFollowed || time >= end ? end + .milliseconds(-1) : max(time, beginning))
    }
}

extension Price {
    /// Its digits without zeros at their end: 65000.0 is 65000.
    fileprivate var value: Substring {
        let text = text[...]
        guard text.contains(where: { $0 == "." }) else { return text }
        let end = text.lastIndex { $0 != "0" }!
        return text[end] == "." ? text[..<end] : text[...end]
    }
}

extension Candle {
    /// - Parameter beginnings: of all rows, in any order. One may be at an odd time, where an exchange went on after an
    ///   outage.
    /// - Throws: when the rows are shorter or longer than candles of this length.
    fileprivate func checkSpacing(of beginnings: Set<Timestamp>) throws(InvalidInput) {
        let sorted = beginnings.sorted()
        for (row, next) in zip(sorted, sorted.dropFirst())
        where beginning(of: row) == row && next < row + length {
            throw InvalidInput("rows of \(row.text) and \(next.text) are too close for \(rawValue) candles")
        }
        let whole = sorted.filter { beginning(of: $0) == $0 }.map(\.milliseconds)
        let spacing = zip(whole, whole.dropFirst()).reduce(0) { greatestDivisor($0, $1.1 - $1.0) }
        // Candles without trades may be missing, but hardly all that are not of the next length, too.
        let longer = Candle.allCases.map(\.length).first { $0 > length } ?? length * 7
        if spacing > 0, spacing % longer.milliseconds == 0 {
            throw InvalidInput("rows that are \(spacing / 1000) s apart are not \(rawValue) candles")
        }
    }

    private func greatestDivisor(_ left: Int, _ right: Int) -> Int {
        right == 0 ? left : greatestDivisor(right, left % right)
    }
}
