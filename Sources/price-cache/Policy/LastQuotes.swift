import PipeCommon

/// Knows the last quote of each symbol and candle, and completes readings with it. Pure.
struct LastQuotes {
    private let ageLimit: AgeLimit
    private var series: [Subject: QuoteSeries] = [:]
    private var unsaved: [Subject: QuoteSeries] = [:]
    /// The newest reading with a new quote, which is not in the dictionaries yet: a fast path for streams of one symbol.
    private var newest: Reading?

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    func knows(_ key: StoredQuote.Key) -> Bool {
        quote(for: key) != nil
    }

    /// Records quotes that come from the store.
    mutating func restore(_ stored: QuoteSeries, at now: Timestamp) {
        series[stored.name, default: QuoteSeries(stored.name)].merge(stored.quotes, at: now)
    }

    /// Records the quote of a reading, if it is a new one.
    mutating func update(_ reading: consuming Reading) {
        guard reading.isFresh else { return }
        if newest?.isReplaced(by: reading) == false { settleNewest() }
        newest = reading
    }

    /// The quotes that have been updated since the previous call: the last one of each symbol and candle.
    mutating func takeUnsaved() -> [Subject: QuoteSeries] {
        settleNewest()
        defer { unsaved = [:] }
        return unsaved
    }

    /// Sets the error flag of a reading, and substitutes the last quote when the reading has none. A reading
    /// that another cache has flagged already keeps its quote.
    func flag(_ reading: inout Reading, at now: @autoclosure () -> Timestamp) {
        reading.error = !reading.isFresh
        if reading.quote == nil, let last = quote(for: reading.key), ageLimit.allows(last, at: now()) {
            reading.source = last.source
            reading.quote = last.quote
        }
    }

    private func quote(for key: StoredQuote.Key) -> StoredQuote? {
        if let newest, newest.key == key, let quote = StoredQuote(of: newest) { return quote }
        return series[key.series]?[key.beginning]
    }

    private mutating func settleNewest() {
        guard let quote = newest.take().flatMap(StoredQuote.init(of:)) else { return }
        let name = quote.key.series
        if series[name]?[quote.key.beginning] == quote { return }
        series[name, default: QuoteSeries(name)].update(quote)
        unsaved[name, default: QuoteSeries(name)].update(quote)
    }
}

extension Reading {
    /// Whether another reading has a newer price of the same symbol. Each candle has a price of its own.
    fileprivate func isReplaced(by other: borrowing Reading) -> Bool {
        symbol == other.symbol && candle == nil && other.candle == nil
    }
}
