import PipeCommon

/// Knows the last quote of each symbol, and completes readings with it. Pure.
struct LastQuotes {
    private let ageLimit: AgeLimit
    private var quotes: [Symbol: StoredQuote] = [:]
    private var unsaved: [Symbol: StoredQuote] = [:]
    /// The newest quote, which is not in the dictionaries yet: a fast path for streams of one symbol.
    private var newest: StoredQuote?

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    func knows(_ symbol: Symbol) -> Bool {
        quote(for: symbol) != nil
    }

    /// Records a quote that comes from the store.
    mutating func restore(_ stored: StoredQuote) {
        quotes[stored.symbol] = stored
    }

    /// Records a new quote.
    mutating func update(_ quote: consuming StoredQuote) {
        if newest?.symbol != quote.symbol, let newest { settle(newest) }
        newest = quote
    }

    /// The last quote of each symbol that has been updated since the previous call.
    mutating func takeUnsaved() -> [Symbol: StoredQuote] {
        if let newest { settle(newest) }
        newest = nil
        defer { unsaved = [:] }
        return unsaved
    }

    /// Sets the error flag of a reading, and substitutes the last quote when the reading has none. A reading
    /// that another cache has flagged already keeps its quote.
    func flag(_ reading: inout Reading, at now: @autoclosure () -> Timestamp) {
        reading.error = !reading.isFresh
        if reading.quote == nil, let last = quote(for: reading.pricedSymbol),
            ageLimit.allows(last.quote, at: now())
        {
            reading.source = last.source
            reading.quote = last.quote
        }
    }

    private func quote(for symbol: Symbol) -> StoredQuote? {
        newest?.symbol == symbol ? newest : quotes[symbol]
    }

    private mutating func settle(_ quote: StoredQuote) {
        quotes[quote.symbol] = quote
        unsaved[quote.symbol] = quote
    }
}
