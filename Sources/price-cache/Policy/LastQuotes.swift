import PipeCommon

/// Knows the last quote of each symbol and candle, completes readings with it, and marks what is not stored yet. Pure.
struct LastQuotes {
    private struct Entry {
        var series: QuoteSeries
        var isUnsaved = false
    }

    private let ageLimit: AgeLimit
    private var entries: [Subject: Entry] = [:]
    /// The entry of the newest quote: the next one is often of the same subject.
    private var newest: Dictionary<Subject, Entry>.Index?
    /// Those that are marked, in the order in which they were.
    private var unsaved: [Subject] = []

    init(ageLimit: AgeLimit) {
        self.ageLimit = ageLimit
    }

    var hasUnsaved: Bool { !unsaved.isEmpty }

    /// - Parameter beginning: of a candle; nil for the last quote of a symbol.
    func quote(_ subject: Subject, at beginning: Timestamp?) -> StoredQuote? {
        entries[subject]?.series[beginning]
    }

    /// Records quotes that come from the store.
    mutating func restore(_ stored: QuoteSeries, at now: Timestamp) {
        entries.values[index(of: stored.subject)].series.merge(stored.quotes, at: now)
    }

    /// Records the quote of a reading, if it is a new one that no source disputes.
    mutating func update(_ reading: borrowing Reading) {
        guard reading.isFresh, reading.hasCandle, reading.dispute == nil else { return }
        let index = index(of: reading.subject)
        if entries.values[index].series.update(reading.quote!, from: reading.source!, at: reading.beginning) {
            mark(index)
        }
    }

    /// The quotes of each subject that is marked. They count as stored from now on.
    mutating func takeUnsaved() -> [QuoteSeries] {
        defer { unsaved = [] }
        return unsaved.map { subject in
            entries[subject]!.isUnsaved = false
            return entries[subject]!.series
        }
    }

    /// Marks what could not be stored.
    mutating func markUnsaved(_ subject: Subject) {
        mark(index(of: subject))
    }

    /// Sets the error flag of a reading, and substitutes the last quote when the reading has none. A reading
    /// that another cache has flagged already keeps its quote.
    func flag(_ reading: inout Reading, at now: @autoclosure () -> Timestamp) {
        reading.error = !reading.isFresh
        guard reading.quote == nil, let last = quote(reading.subject, at: reading.beginning),
            ageLimit.allows(last, at: now())
        else { return }
        reading.source = last.source
        reading.quote = last.quote
    }

    private mutating func mark(_ index: Dictionary<Subject, Entry>.Index) {
        if entries.values[index].isUnsaved { return }
        entries.values[index].isUnsaved = true
        unsaved.append(entries.keys[index])
    }

    private mutating func index(of subject: Subject) -> Dictionary<Subject, Entry>.Index {
        if let newest, entries.keys[newest] == subject { return newest }
        if entries[subject] == nil { entries[subject] = Entry(series: QuoteSeries(subject)) }
        newest = entries.index(forKey: subject)
        return newest!
    }
}
