import PipeCommon

/// What is kept of a symbol's last quote: `{"symbol":"BTC-USD","source":"binance","quote":{…}}`.
struct StoredQuote: Record, Hashable {
    let symbol: Symbol
    let source: String
    let quote: Quote

    init(symbol: Symbol, source: String, quote: Quote) {
        self.symbol = symbol
        self.source = source
        self.quote = quote
    }

    init(_ members: inout Members) throws(InvalidInput) {
        let reading = try Reading(&members)
        guard let symbol = reading.symbol else { throw InvalidInput("a quote without its symbol") }
        guard let quote = reading.quote, let source = reading.source else { throw InvalidInput("no quote") }
        self.init(symbol: symbol, source: source, quote: quote)
    }

    /// The quote of a reading that got a new one; nil for any other reading.
    init?(of reading: borrowing Reading) {
        guard reading.isFresh, let quote = reading.quote, let source = reading.source else { return nil }
        self.init(symbol: reading.pricedSymbol, source: source, quote: quote)
    }

    func addMembers(to object: inout ByteBuffer) {
        object.add("symbol", symbol.text)
        object.add("source", source)
        object.add("quote", quote)
    }

    /// Two clocks that are right differ by no more than this.
    private static let clockSkew = Duration.seconds(60)

    /// Whether this quote was received after the other. One from ahead of `now` was not, when the other is of
    /// now: the clock was wrong when it was dated.
    func isNewer(than other: StoredQuote, at now: Timestamp) -> Bool {
        let (own, others) = (quote.timestamp, other.quote.timestamp)
        let isOfNow = now <= others + Self.clockSkew && others <= now + Self.clockSkew
        return own > others && !(isOfNow && own > now + Self.clockSkew)
    }
}
