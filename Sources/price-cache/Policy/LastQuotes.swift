import PipeCommon

/// The last quote of each symbol, and what a reading says with it: pure.
struct LastQuotes {
    private let ageLimit: AgeLimit
    private var quotes: [Symbol: StoredQuote] = [:]
    /// Those that were remembered since they were last taken.
    private var new: [Symbol: StoredQuote] = [:]
    /// The very last one, which is not among them yet: most streams are of one symbol.
    private var newest: StoredQuote?

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    func knows(_ symbol: Symbol) -> Bool {
        quote(of: symbol) != nil
    }

    /// Takes a quote from the store.
    mutating func recall(_ stored: StoredQuote) {
        quotes[stored.symbol] = stored
    }

    mutating func remember(_ quote: consuming StoredQuote) {
        if newest?.symbol != quote.symbol, let newest { settle(newest) }
        newest = quote
    }

    /// The last quote of each symbol that has got one since the last call.
    mutating func takeNew() -> [Symbol: StoredQuote] {
        if let newest { settle(newest) }
        newest = nil
        defer { new = [:] }
        return new
    }

    /// Sets a reading's error flag and, when it got no new quote, gives it the last known one. A reading whose flag
    /// is already set by another cache keeps the quote that it came with.
    func flag(_ reading: inout Reading, at now: @autoclosure () -> Timestamp) {
        reading.error = !reading.isFresh
        if reading.quote == nil, let last = quote(of: reading.pricedSymbol),
            ageLimit.allows(last.quote, at: now())
        {
            reading.source = last.source
            reading.quote = last.quote
        }
    }

    private func quote(of symbol: Symbol) -> StoredQuote? {
        newest?.symbol == symbol ? newest : quotes[symbol]
    }

    private mutating func settle(_ quote: StoredQuote) {
        quotes[quote.symbol] = quote
        new[quote.symbol] = quote
    }
}
