import PipeCommon

/// Knows the last quote of each symbol and candle, and completes readings with it. Pure.
struct LastQuotes {
    private let ageLimit: AgeLimit
    private var series: [Subject: QuoteSeries] = [:]
    private var unsaved: [Subject: QuoteSeries] = [:]
    /// The newest quote, which is not in the dictionaries yet: a fast path for streams of one symbol.
    private var newest: StoredQuote?

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

    /// Records a new quote.
    mutating func update(_ quote: consuming StoredQuote) {
        if let newest, newest.key != quote.key { settle(newest) }
        newest = quote
    }

    /// The quotes that have been updated since the previous call: the last one of each symbol and candle.
    mutating func takeUnsaved() -> [Subject: QuoteSeries] {
        if let newest { settle(newest) }
        newest = nil
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
        newest?.key == key ? newest : series[key.series]?[key.beginning]
    }

    private mutating func settle(_ quote: StoredQuote) {
        let name = quote.key.series
        if series[name]?[quote.key.beginning] == quote { return }
        series[name, default: QuoteSeries(name)].update(quote)
        unsaved[name, default: QuoteSeries(name)].update(quote)
    }
}
