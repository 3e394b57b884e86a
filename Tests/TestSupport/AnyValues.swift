import PipeCommon

/// A fixed time plus a number of milliseconds, for tests in which the exact time does not matter.
public func anyTime(_ milliseconds: Int = 0) -> Timestamp {
    Timestamp("2026-11-21T14:03:07.412Z")! + .milliseconds(milliseconds)
}

public func anyTick(_ number: Int = 12, symbol: String? = nil) -> Tick {
    Tick(number: number, at: anyTime(), symbol: symbol.flatMap(Symbol.init))
}

public func anyQuote(
    _ price: String = "68901.23", at time: Timestamp = anyTime(), market: String? = nil
) -> Quote {
    Quote(
        price: Price(price)!, currency: .usDollar, timestamp: time, market: market.flatMap(InlineText.init))
}

public func anyFailure(_ source: String = "binance", _ kind: Failure.Kind = .timeout) -> Failure {
    Failure(source: source, kind: kind, message: "any message")
}

extension Record {
    /// The record's line as text.
    public var text: String { String(decoding: line, as: UTF8.self) }
}

/// The line of a reading with a quote, as in the output of a source or in a recording.
public func quoteLine(
    _ price: String = "68901.23", tick: Int = 12, symbol: String? = nil, source: String = "binance",
    at time: Timestamp = anyTime()
) -> String {
    Reading(answering: anyTick(tick, symbol: symbol), anyQuote(price, at: time), from: source).text
}

/// The line of a reading without a quote.
public func failureLine(tick: Int = 12, symbol: String? = nil, kind: Failure.Kind = .timeout) -> String {
    Reading(answering: anyTick(tick, symbol: symbol), [anyFailure("binance", kind)]).text
}

/// The line of a reading with the closing price of one day. Day 0 is the day of `anyTime`.
public func candleLine(_ price: String = "68901.23", tick: Int = 12, symbol: String? = nil, day: Int = 0)
    -> String
{
    let tick = dayTick(tick, symbol: symbol, day: day)
    let quote = anyQuote(price, at: tick.at! + Candle.day.length)
    var reading = Reading(answering: tick, quote, from: "kraken")
    reading.isClosed = true
    return reading.text
}

/// A tick that requests one day's candle.
public func dayTick(_ number: Int = 12, symbol: String? = nil, day: Int = 0) -> Tick {
    let beginning = Candle.day.beginning(of: anyTime()) + Candle.day.length * day
    return Tick(number: number, at: beginning, symbol: symbol.flatMap(Symbol.init), candle: .day)
}

/// A tick that requests a candle.
///
/// - Parameter at: the beginning of the candle, written without seconds.
public func candleTick(
    _ number: Int = 0, at: String = "2026-11-20T00:00", symbol: String? = nil, _ candle: Candle = .day
) -> Tick {
    Tick(
        number: number, at: Timestamp("\(at):00.000Z")!, symbol: symbol.flatMap(Symbol.init), candle: candle)
}
