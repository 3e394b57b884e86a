import PipeCommon

/// A tick for a candle.
///
/// - Parameter at: when it begins, without the seconds.
public func candleTick(
    _ number: Int = 0, at: String = "2026-11-20T00:00", symbol: String? = nil, _ candle: Candle = .day
) -> Tick {
    Tick(
        number: number, at: Timestamp("\(at):00.000Z")!, symbol: symbol.flatMap(Symbol.init), candle: candle)
}
