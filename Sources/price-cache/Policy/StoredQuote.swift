import PipeCommon

/// A quote in the form in which it is stored: the last quote of a symbol,
/// `{"symbol":"BTC-USD","source":"binance","quote":{…}}`, or that of a candle,
/// `{"at":"2026-11-21T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"binance","quote":{…}}`.
struct StoredQuote: Record, Hashable {
    let subject: Subject
    /// When its candle begins; nil for the last quote of a symbol.
    let beginning: Timestamp?
    var source: String
    var quote: Quote

    init(_ subject: Subject, at beginning: Timestamp?, source: String, quote: Quote) {
        (self.subject, self.beginning, self.source, self.quote) = (subject, beginning, source, quote)
    }

    init(_ json: inout JSONReader) throws(InvalidInput) {
        var reading = try Reading(&json)
        reading.error = nil
        guard reading.symbol != nil else { throw InvalidInput("symbol is missing") }
        guard reading.hasCandle else { throw InvalidInput("at is not the beginning of a candle") }
        guard let source = reading.source, let quote = reading.quote else {
            throw InvalidInput("quote is missing")
        }
        self.init(reading.subject, at: reading.beginning, source: source, quote: quote)
    }

    /// When its candle ends; nil for the last quote of a symbol.
    var end: Timestamp? {
        guard let candle = subject.candle, let beginning else { return nil }
        return beginning + candle.length
    }

    /// Whether it is the closing price of a candle, which never changes: it is dated at the candle's end.
    var isClosed: Bool { end == quote.timestamp }

    func addMembers(to object: inout ByteBuffer) {
        object.add("at", beginning)
        object.add("symbol", subject.symbol.text)
        object.add("candle", subject.candle?.rawValue)
        object.add("source", source)
        object.add("quote", quote)
    }
}

extension Reading {
    /// When the requested candle begins; nil for the current price.
    var beginning: Timestamp? { candle == nil ? nil : at }

    /// Whether `at` is the beginning of a candle; true if no candle was requested.
    var hasCandle: Bool {
        candle.map { candle in at.map { candle.beginning(of: $0) == $0 } ?? false } ?? true
    }
}
