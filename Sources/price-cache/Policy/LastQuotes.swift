import PipeCommon

/// Knows the last quote of each symbol and candle, completes readings with it, and marks what is not stored yet. Pure.
struct LastQuotes {
    private struct Entry {
        var series: QuoteSeries
        var isUnsaved = false
    }

    private let ageLimit: AgeLimit
    private var entries: [Subject: Entry] = [:]
    /// Those that are marked, in the order in which they were.
    private var unsaved: [Subject] = []
    /// The newest reading with a new quote, which is not in the dictionary yet: a fast path for streams of one symbol.
    private var newest: Reading?

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    var hasUnsaved: Bool { newest != nil || !unsaved.isEmpty }

    func knows(_ key: StoredQuote.Key) -> Bool {
        quote(for: key) != nil
    }

    /// Records quotes that come from the store.
    mutating func restore(_ stored: QuoteSeries, at now: Timestamp) {
        entries[stored.subject, default: Entry(series: QuoteSeries(stored.subject))].series
            .merge(stored.quotes, at: now)
    }

    /// Records the quote of a reading, if it is a new one that no source disputes.
    mutating func update(_ reading: consuming Reading) {
        guard reading.isFresh, reading.dispute == nil else { return }
        if newest?.isReplaced(by: reading) == false { settleNewest() }
        newest = reading
    }

    /// The quotes of each subject that is marked. They count as stored from now on.
    mutating func takeUnsaved() -> [QuoteSeries] {
        settleNewest()
        defer { unsaved = [] }
        return unsaved.map { subject in
            entries[subject]!.isUnsaved = false
            return entries[subject]!.series
        }
    }

    /// Marks what could not be stored.
    mutating func markUnsaved(_ subject: Subject) {
        if entries[subject]?.isUnsaved == false {
            entries[subject]!.isUnsaved = true
            unsaved.append(subject)
        }
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
        return entries[key.subject]?.series[key.beginning]
    }

    private mutating func settleNewest() {
        guard let quote = newest.take().flatMap(StoredQuote.init(of:)) else { return }
        let subject = quote.key.subject
        if entries[subject]?.series[quote.key.beginning] == quote { return }
        entries[subject, default: Entry(series: QuoteSeries(subject))].series.update(quote)
        markUnsaved(subject)
    }
}

extension Reading {
    /// Whether another reading has a newer price of the same symbol. Each candle has a price of its own.
    fileprivate func isReplaced(by other: borrowing Reading) -> Bool {
        symbol == other.symbol && candle == nil && other.candle == nil
    }
}
