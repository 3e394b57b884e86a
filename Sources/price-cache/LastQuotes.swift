import PipeCommon

/// The last quote of each symbol, and what a reading says with it: pure.
struct LastQuotes {
    private let ageLimit: AgeLimit
    private var quotes: [Symbol: StoredQuote] = [:]

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    func knows(_ symbol: Symbol) -> Bool {
        quotes[symbol] != nil
    }

    mutating func remember(_ stored: StoredQuote) {
        quotes[stored.symbol] = stored
    }

    /// The reading with its error flag, and, when it got no new quote, with the last known one. A reading
    /// whose flag is already set by another cache keeps the quote that it came with.
    func flagged(_ reading: Reading, at now: Timestamp) -> Reading {
        var flagged = reading
        flagged.error = !reading.isFresh
        if reading.quote == nil, let last = quotes[reading.pricedSymbol],
            ageLimit.allows(last.quote, at: now)
        {
            flagged.source = last.source
            flagged.quote = last.quote
        }
        return flagged
    }
}
