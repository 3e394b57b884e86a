import PipeCommon

/// The last quote of a symbol, as it is stored: `{"symbol":"BTC-USD","source":"binance","quote":{…}}`.
struct StoredQuote: Record, Hashable {
    let symbol: Symbol
    let source: String
    let quote: Quote

    init(symbol: Symbol, source: String, quote: Quote) {
        self.symbol = symbol
        self.source = source
        self.quote = quote
    }

    init(_ json: inout JSONReader) throws(InvalidInput) {
        let reading = try Reading(&json)
        guard let symbol = reading.symbol else { throw InvalidInput("symbol is missing") }
        guard let quote = reading.quote, let source = reading.source else {
            throw InvalidInput("quote is missing")
        }
        self.init(symbol: symbol, source: source, quote: quote)
    }

    /// The quote of a reading, if it is a new one.
    init?(of reading: borrowing Reading) {
        guard reading.isFresh, let quote = reading.quote, let source = reading.source else { return nil }
        self.init(symbol: reading.pricedSymbol, source: source, quote: quote)
    }

    func addMembers(to object: inout ByteBuffer) {
        object.add("symbol", symbol.text)
        object.add("source", source)
        object.add("quote", quote)
    }
}
