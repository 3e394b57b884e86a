import PipeCommon

/// The closing prices in an answer, each by the time in its own row: exchanges differ in the order of their rows, and may
/// leave out some or repeat some. Pure.
struct CandleTable {
    let candle: Candle
    private var closes: [Timestamp: Result<Price, InvalidInput>] = [:]

    /// - Throws: when the answer is not of the pair, or its rows are not candles of this length.
    init(_ answer: JSON, of pair: TradingPair, _ candle: Candle, from source: CandleSource)
        throws(InvalidInput)
    {
        self.candle = candle
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
        try CandleSpacing.check(beginnings, candle)
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

    func close(of beginning: Timestamp) throws(InvalidInput) -> Price {
        guard let close = closes[beginning] else {
            throw InvalidInput("no candle for \(candle.name(of: beginning))")
        }
        return try close.get()
    }

    func hasCandle(after beginning: Timestamp) -> Bool {
        closes.keys.contains { $0 > beginning }
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
