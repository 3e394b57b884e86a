import PipeCommon

/// A quote in the form in which it is stored: the last quote of a symbol,
/// `{"symbol":"BTC-USD","source":"binance","quote":{…}}`, or that of a candle,
/// `{"at":"2026-11-21T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"binance","quote":{…},"closed":true}`.
struct StoredQuote: Record, Hashable {
    let subject: Subject
    /// When its candle begins; nil for the last quote of a symbol.
    let beginning: Timestamp?
    var source: String
    var quote: Quote
    /// Whether it is the final close of a candle, which never changes. A file of an earlier version does not say so;
    /// there, every candle may still change.
    var isClosed: Bool
    /// Whether nobody traded at this price.
    var isMadeUp: Bool

    init(
        _ subject: Subject, at beginning: Timestamp?, source: String, quote: Quote, isClosed: Bool,
        isMadeUp: Bool = false
    ) {
        (self.subject, self.beginning, self.source, self.quote) = (subject, beginning, source, quote)
        (self.isClosed, self.isMadeUp) = (isClosed && subject.candle != nil, isMadeUp)
    }

    init(_ json: inout JSONReader) throws(InvalidInput) {
        var reading = try Reading(&json)
        reading.error = nil
        guard reading.symbol != nil else { throw InvalidInput("symbol is missing") }
        guard reading.hasCandle else { throw InvalidInput("at is not the beginning of a candle") }
        guard let source = reading.source, let quote = reading.quote else {
            throw InvalidInput("quote is missing")
        }
        self.init(
            reading.subject, at: reading.beginning, source: source, quote: quote, isClosed: reading.isClosed,
            isMadeUp: reading.isMadeUp)
    }

    /// When its candle ends; nil for the last quote of a symbol.
    var end: Timestamp? {
        guard let candle = subject.candle, let beginning else { return nil }
        return beginning + candle.length
    }

    func addMembers(to object: inout ByteBuffer) {
        object.add("at", beginning)
        object.add("symbol", subject.symbol.text)
        object.add("candle", subject.candle?.rawValue)
        object.add("source", source)
        object.add("quote", quote)
        if isClosed { object.add("closed", true) }
        if isMadeUp { object.add("made_up", true) }
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
