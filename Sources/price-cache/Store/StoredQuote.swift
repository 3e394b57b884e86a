import PipeCommon

/// A quote as it is stored: the last one of a symbol, `{"symbol":"BTC-USD","source":"binance","quote":{…}}`, or that of a
/// candle, `{"at":"2026-11-21T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"binance","quote":{…}}`.
struct StoredQuote: Record, Hashable {
    /// What a quote is of.
    struct Key: Hashable {
        let subject: Subject
        /// When the candle begins; nil for the last quote of a symbol.
        let beginning: Timestamp?

        init(_ subject: Subject, at beginning: Timestamp?) {
            self.subject = subject
            self.beginning = subject.candle == nil ? nil : beginning
        }

        /// Whether something can be stored for it. A candle has a beginning.
        fileprivate var isComplete: Bool {
            guard let candle = subject.candle else { return true }
            return beginning.map { candle.beginning(of: $0) == $0 } ?? false
        }
    }

    let key: Key
    let source: String
    let quote: Quote

    init(
        symbol: Symbol, candle: Candle? = nil, at beginning: Timestamp? = nil, source: String, quote: Quote
    ) {
        key = Key(Subject(symbol, candle), at: beginning)
        self.source = source
        self.quote = quote
    }

    init(_ json: inout JSONReader) throws(InvalidInput) {
        var reading = try Reading(&json)
        reading.error = nil
        guard reading.symbol != nil else { throw InvalidInput("symbol is missing") }
        guard reading.key.isComplete else { throw InvalidInput("at is not the beginning of a candle") }
        guard let stored = StoredQuote(of: reading) else { throw InvalidInput("quote is missing") }
        self = stored
    }

    /// The quote of a reading, if it is a new one.
    init?(of reading: consuming Reading) {
        guard reading.isFresh, let source = reading.source, let quote = reading.quote else { return nil }
        key = reading.key
        self.source = source
        self.quote = quote
        guard key.isComplete else { return nil }
    }

    /// When its candle ends.
    var end: Timestamp? {
        guard let candle = key.subject.candle, let beginning = key.beginning else { return nil }
        return beginning + candle.length
    }

    /// Whether it is the closing price of a candle, which never changes: it has the time of the candle's end.
    var isClosed: Bool { end == quote.timestamp }

    func addMembers(to object: inout ByteBuffer) {
        object.add("at", key.beginning)
        object.add("symbol", key.subject.symbol.text)
        object.add("candle", key.subject.candle?.rawValue)
        object.add("source", source)
        object.add("quote", quote)
    }
}

extension Reading {
    /// What the quote is of that answers it.
    var key: StoredQuote.Key { StoredQuote.Key(subject, at: at) }
}

extension Tick {
    /// What the quote is of that answers it.
    var key: StoredQuote.Key { StoredQuote.Key(subject, at: at) }
}
