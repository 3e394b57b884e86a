import PipeCommon

/// The candles of an exchange: where to ask for them, and how to read the rows of the answer.
struct CandleSource: Sendable {
    /// That of the source of its prices.
    let name: String
    /// The most candles in one answer.
    let most: Int
    /// Whether only the last of them can be asked for, and none before.
    var hasOnlyLast = false
    /// What stands before the paths instead of the host.
    private(set) var base: WebAddress?
    let url: @Sendable (TradingPair, CandleRange) -> String
    /// The rows in an answer, or why it is not of the pair.
    let rows: @Sendable (JSON, TradingPair) throws(InvalidInput) -> [JSON]?
    /// When the candle of a row begins.
    let time: TimeField
    /// The last millisecond of the candle of a row; nil if rows do not have it.
    var end: TimeField?
    /// The closing price in a row.
    let close: @Sendable (JSON) throws(InvalidInput) -> Price

    static let all = [binance, coinbase, kraken, bitstamp]

    /// The same candles at another host, with its own paths.
    func asked(below base: WebAddress) -> CandleSource {
        var source = self
        source.base = base
        return source
    }

    func request(_ range: CandleRange, of pair: TradingPair) throws(InvalidInput) -> HTTPRequest {
        let text = url(pair, range)
        guard let url = WebAddress(base.map { PriceSource.address(text, below: $0) } ?? text) else {
            throw InvalidInput("\(pair.base)-\(pair.currency.code) has no address")
        }
        return HTTPRequest(url: url, largestBody: 1024 * 1024)
    }

    /// The candles to ask for when one is wanted: from there to the one that is still open, as far as possible.
    func range(_ candle: Candle, from first: Timestamp, at now: Timestamp) -> CandleRange {
        let wanted = candle.count(from: first, to: now)
        return CandleRange(candle: candle, first: first, count: min(wanted, most), isCut: wanted > most)
    }

    /// Why a candle cannot be asked for.
    func refusal(of candle: Candle, from beginning: Timestamp, at now: Timestamp) -> FetchError? {
        if candle.beginning(of: beginning) != beginning {
            return FetchError(
                .unsupported, "\(beginning.text) is not when a \(candle.rawValue) candle begins")
        }
        let name = candle.name(of: beginning)
        if beginning > now { return FetchError(.unsupported, "the candle of \(name) has not begun") }
        if beginning.milliseconds < 0 {
            return FetchError(.unsupported, "the candle of \(name) is before 1970")
        }
        if hasOnlyLast, candle.count(from: beginning, to: now) > most {
            return FetchError(
                .unsupported, "the candle of \(name) is too old: only the last \(most) can be asked for")
        }
        return nil
    }
}
