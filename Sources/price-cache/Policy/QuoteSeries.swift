import PipeCommon

/// The quotes of one file: the last quote of a symbol, or the quotes of the newest candles of one symbol and one length
/// (at most 1,000) in chronological order. The final close of a candle is never replaced. Pure.
struct QuoteSeries: Equatable, Sendable {
    private static let most = 1000

    let subject: Subject
    /// The quotes in memory. Their number may exceed `most`, because old quotes are removed in bulk.
    private var all: [StoredQuote] = []

    init(_ subject: Subject) {
        self.subject = subject
    }

    init(_ quote: StoredQuote) {
        (subject, all) = (quote.subject, [quote])
    }

    var quotes: ArraySlice<StoredQuote> { all.suffix(Self.most) }

    var newest: StoredQuote? { all.last }

    static func == (left: QuoteSeries, right: QuoteSeries) -> Bool {
        left.subject == right.subject && left.quotes == right.quotes
    }

    /// - Parameter beginning: when the candle begins; nil for the last quote of a symbol.
    subscript(beginning: Timestamp?) -> StoredQuote? {
        let place = place(of: beginning)
        return holds(beginning, at: place) ? all[place] : nil
    }

    /// Records the quote of a reading that was just received. The reading must contain a quote.
    ///
    /// - Returns: false if the recorded quote stays as it is; otherwise true.
    mutating func update(_ reading: borrowing Reading) -> Bool {
        let (quote, source, beginning) = (reading.quote!, reading.source!, reading.beginning)
        let isClosed = reading.isClosed && subject.candle != nil
        let place = place(of: beginning)
        guard holds(beginning, at: place) else {
            let stored = StoredQuote(
                subject, at: beginning, source: source, quote: quote, isClosed: isClosed,
                isMadeUp: reading.isMadeUp)
            insert(stored, at: place)
            return true
        }
        // The timestamp of a new quote usually differs from the timestamp of the recorded quote, so the other values
        // are rarely compared.
        if all[place].isClosed
            || all[place].quote.timestamp == quote.timestamp && all[place].quote == quote
                && all[place].source == source && !isClosed
                && all[place].isMadeUp == reading.isMadeUp
        {
            return false
        }
        all[place].quote = quote
        all[place].source = source
        all[place].isClosed = isClosed
        all[place].isMadeUp = reading.isMadeUp
        return true
    }

    /// Merges other quotes of the same subject into this series. If this series already contains a quote of the same
    /// symbol or candle, `Recency` decides which quote is kept.
    mutating func merge(_ other: some Sequence<StoredQuote>, at now: Timestamp) {
        for quote in other {
            let place = place(of: quote.beginning)
            if !holds(quote.beginning, at: place) {
                insert(quote, at: place)
            } else if Recency.isReplaced(all[place], by: quote, at: now) {
                all[place] = quote
            }
        }
    }

    private func holds(_ beginning: Timestamp?, at place: Int) -> Bool {
        place < all.endIndex && all[place].beginning == beginning
    }

    private mutating func insert(_ quote: StoredQuote, at place: Int) {
        all.insert(quote, at: place)
        if all.count >= 2 * Self.most { all.removeFirst(all.count - Self.most) }
    }

    /// The index of the first quote whose candle begins at the given time or later; the end index if there is none. If
    /// no time is given, the index of the last quote of a symbol, which is always 0.
    private func place(of beginning: Timestamp?) -> Int {
        guard let beginning else { return 0 }
        var (low, high) = (0, all.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if let other = all[middle].beginning, other < beginning {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

/// A quote as it is stored, without its checksum: the last quote of a symbol,
/// `{"symbol":"BTC-USD","source":"binance","quote":{…}}`, or the quote of a candle,
/// `{"at":"2026-11-21T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"binance","quote":{…},"closed":true}`.
struct StoredQuote: Record, Hashable {
    let subject: Subject
    /// When the quote's candle begins; nil for the last quote of a symbol.
    let beginning: Timestamp?
    var source: String
    var quote: Quote
    /// Whether the quote is the final close of a candle. In a file, a candle without this flag counts as open.
    var isClosed: Bool
    /// Whether the price is made up, as in the demo.
    var isMadeUp: Bool

    init(
        _ subject: Subject, at beginning: Timestamp?, source: String, quote: Quote, isClosed: Bool,
        isMadeUp: Bool = false
    ) {
        (self.subject, self.beginning, self.source, self.quote) = (subject, beginning, source, quote)
        (self.isClosed, self.isMadeUp) = (isClosed && subject.candle != nil, isMadeUp)
    }

    init(_ json: inout JSONReader) throws(InvalidInput) {
        let reading = try Reading(&json)
        guard reading.symbol != nil else { throw InvalidInput("symbol is missing") }
        guard reading.hasCandle else { throw InvalidInput("the member at is not the beginning of a candle") }
        guard let source = reading.source, let quote = reading.quote else {
            throw InvalidInput("quote is missing")
        }
        self.init(
            reading.subject, at: reading.beginning, source: source, quote: quote, isClosed: reading.isClosed,
            isMadeUp: reading.isMadeUp)
    }

    /// When the quote's candle ends; nil for the last quote of a symbol.
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
    /// When the requested candle begins; nil for the current price, or if `at` is nil.
    var beginning: Timestamp? { candle == nil ? nil : at }

    /// Whether `at` is the beginning of a candle of the requested length; true if no candle was requested.
    var hasCandle: Bool {
        candle.map { candle in at.map { candle.beginning(of: $0) == $0 } ?? false } ?? true
    }
}
