/// A request for the price of one symbol: `{"tick":12,"at":"2026-11-21T14:03:07.000Z"}`. All members are optional:
/// `{}` requests the current price of BTC-USD.
///
/// In its readings, price-fetch repeats all known members except `timeout_ms`. price-fallback matches readings to ticks
/// by the number, the symbol and the candle's length; for candles, also by the candle's beginning if the reading
/// contains it.
public struct Tick: Record, Hashable {
    /// The number of the tick, counted from 0. The clock gives the same number to all ticks of a beat (a moment at
    /// which one tick per symbol is due).
    public var number: Int?
    /// In a tick for a candle, the beginning of the candle. In any other tick, the time at which the tick was due or,
    /// in a tick for a source, the time at which price-fallback queued the tick. Nil means the current time.
    public var at: Timestamp?
    /// The symbol to price; nil for the default symbol (see `pricedSymbol`).
    public var symbol: Symbol?
    /// The length of the candle whose closing price is requested; nil if the tick requests the current price.
    public var candle: Candle?
    /// In a tick for a source, price-fallback's time limit for the answer, in whole milliseconds, at least 1. If this
    /// is nil, only the source's own time limit applies.
    public var timeout: Duration?

    public init(
        number: Int? = nil, at: Timestamp? = nil, symbol: Symbol? = nil, candle: Candle? = nil,
        timeout: Duration? = nil
    ) {
        self.number = number
        self.at = at
        self.symbol = symbol
        self.candle = candle
        self.timeout = timeout
    }

    /// The symbol to price; the default is BTC-USD.
    public var pricedSymbol: Symbol { symbol ?? .bitcoin }

    /// Reads a tick. Unknown members are skipped, and `null` counts as absent.
    ///
    /// - Throws: `InvalidInput` if the value is not a valid object, or if a known member is invalid. In the second
    ///   case, the reason names the member.
    public init(_ json: inout JSONReader) throws(InvalidInput) {
        try json.object { (name, json) throws(InvalidInput) in try readMember(name, &json) }
    }

    @inline(__always)
    mutating func readMember(_ name: JSONText, _ json: inout JSONReader) throws(InvalidInput) {
        switch name {
        case "tick": number = try json.integer(from: 0)
        case "at": at = try json.value("a UTC time such as 2026-11-21T14:03:07.000Z")
        case "symbol": symbol = try json.value("valid (example: BTC-USD)")
        case "candle": candle = try json.value("a candle length (1m, 5m, 15m, 1h or 1d)")
        case "timeout_ms": timeout = try json.integer(from: 1).map { .milliseconds($0) }
        default: break
        }
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("tick", number)
        object.add("at", at)
        object.add("symbol", symbol)
        object.add("candle", candle)
        object.add("timeout_ms", timeout?.milliseconds)
    }
}

/// Completes ticks that lack a number or a time. A tick without a number gets the number after the previous tick's
/// number, or 0 if it is the first tick or the previous number is the largest `Int`. A tick without a time gets the
/// current time. A program that reads ticks must pass all of them, in order, to the same `TickNumbering`.
public struct TickNumbering: Sendable {
    private var next = 0

    public init() {}

    public mutating func complete(_ tick: Tick, at now: Timestamp) -> Tick {
        var tick = tick
        let number = tick.number ?? next
        tick.number = number
        tick.at = tick.at ?? now
        next = number < .max ? number + 1 : 0
        return tick
    }
}
