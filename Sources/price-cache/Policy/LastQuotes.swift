import PipeCommon

/// Remembers the last quotes of symbols and of candles, adds these quotes to readings without a quote if the age limit
/// allows it, and marks the subjects whose quotes are unsaved. Pure.
struct LastQuotes {
    private struct Entry {
        var series: QuoteSeries
        var isUnsaved = false
    }

    private let ageLimit: AgeLimit
    private var entries: [Entry] = []
    private var places: [Subject: Int] = [:]
    /// The last result of `place(of:)`. This index is tried first, because the next quote often has the same subject.
    private var newest = 0
    /// The indices of the marked entries, in the order in which they were marked.
    private var unsaved: [Int] = []

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    var hasUnsaved: Bool { !unsaved.isEmpty }

    /// - Parameter beginning: when the candle begins; nil for the last quote of a symbol.
    func quote(_ subject: Subject, at beginning: Timestamp?) -> StoredQuote? {
        places[subject].flatMap { entries[$0].series[beginning] }
    }

    /// Whether a reading contains no quote and none can be substituted, because no quote of its symbol or candle is
    /// known.
    func lacksQuote(for reading: borrowing Reading) -> Bool {
        !reading.hasQuote && quote(reading.subject, at: reading.beginning) == nil
    }

    /// Records quotes that were loaded from the store.
    mutating func restore(_ stored: QuoteSeries, at now: Timestamp) {
        let place = place(of: stored.subject)
        entries[place].series.merge(stored.quotes, at: now)
    }

    /// Records the quote of a reading if the quote is new and not disputed. The quote of a candle is recorded only if
    /// `at` is the beginning of a candle of the requested length and the candle's final close is not recorded yet.
    mutating func update(_ reading: borrowing Reading) {
        guard reading.isFresh, reading.hasCandle, !reading.isDisputed else { return }
        let place = place(of: reading.subject)
        if entries[place].series.update(reading) { mark(place) }
    }

    /// Returns the quotes of each marked subject and removes the marks.
    mutating func takeUnsaved() -> [QuoteSeries] {
        defer { unsaved = [] }
        return unsaved.map { place in
            entries[place].isUnsaved = false
            return entries[place].series
        }
    }

    /// Marks a subject whose quotes could not be stored.
    mutating func markUnsaved(_ subject: Subject) {
        mark(place(of: subject))
    }

    /// Sets the error flag of a reading: false if the reading contains a new quote, otherwise true. If the reading
    /// contains no quote, substitutes the last quote if there is one and `ageLimit` allows it. If another price-cache
    /// has already substituted a quote, the reading keeps that quote.
    func flag(_ reading: inout Reading, at now: @autoclosure () -> Timestamp) {
        reading.error = !reading.isFresh
        guard !reading.hasQuote, let last = quote(reading.subject, at: reading.beginning),
            ageLimit.allows(last, at: now())
        else { return }
        reading.source = last.source
        reading.quote = last.quote
        (reading.isClosed, reading.isMadeUp) = (last.isClosed, last.isMadeUp)
    }

    private mutating func mark(_ place: Int) {
        if entries[place].isUnsaved { return }
        entries[place].isUnsaved = true
        unsaved.append(place)
    }

    private mutating func place(of subject: Subject) -> Int {
        if newest < entries.count, entries[newest].series.subject == subject { return newest }
        newest = places[subject] ?? entries.count
        if newest == entries.count {
            entries.append(Entry(series: QuoteSeries(subject)))
            places[subject] = newest
        }
        return newest
    }
}
