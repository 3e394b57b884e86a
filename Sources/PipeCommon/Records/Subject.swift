/// What a tick asks for, whenever that is: the price of a symbol, or its candles of one length.
public struct Subject: Hashable, Sendable {
    public let symbol: Symbol
    /// Nil for the price now.
    public let candle: Candle?

    public init(_ symbol: Symbol, _ candle: Candle? = nil) {
        self.symbol = symbol
        self.candle = candle
    }
}

extension Tick {
    public var subject: Subject { Subject(pricedSymbol, candle) }
}

extension Reading {
    public var subject: Subject { Subject(pricedSymbol, candle) }
}
