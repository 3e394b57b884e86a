import PipeCommon

/// The closing prices in an answer, each by the time in its own row: exchanges differ in the order of their rows, and may
/// leave out some or repeat some. Pure.
struct CandleTable {
    let candle: Candle
    private var closes: [Timestamp: Result<Price, InvalidInput>] = [:]

    /// - Throws: when the answer is not of the pair, or has rows that are not candles of this length.
    init(_ answer: JSON, of pair: TradingPair, _ candle: Candle, from source: CandleSource)
        throws(InvalidInput)
    {
        self.candle = candle
        guard let rows = try source.rows(answer, pair) else {
            throw InvalidInput("the answer has no list of candles")
        }
        for row in rows {
            guard let beginning = source.time(row) else {
                throw InvalidInput("a row of the answer has no time")
            }
            guard candle.beginning(of: beginning) == beginning else {
                throw InvalidInput("a row of \(beginning.text) is not a \(candle.rawValue) candle")
            }
            add(beginning, Result { () throws(InvalidInput) in try source.close(row) })
        }
    }

    private mutating func add(_ beginning: Timestamp, _ close: Result<Price, InvalidInput>) {
        if let known = closes[beginning], known != close {
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
