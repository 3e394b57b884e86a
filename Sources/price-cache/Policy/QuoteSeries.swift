import PipeCommon

/// The quotes of one file in chronological order: the last quote of a symbol, or those of its newest 1,000
/// candles. The quote of a closed candle never changes. Pure.
struct QuoteSeries: Equatable, Sendable {
    private static let most = 1000

    let subject: Subject
    /// May hold more quotes than are stored, so that they seldom have to be moved.
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

    /// Records the quote of a reading that was just received. The reading must have one.
    ///
    /// - Returns: whether the series has changed.
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
        if all[place].isClosed
            || all[place].quote == quote && all[place].source == source && !isClosed
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

    /// Merges another writer's quotes, unless this series has newer ones.
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

    /// The index of the first quote whose candle does not begin before this time.
    private func place(of beginning: Timestamp?) -> Int {
        guard let beginning else { return 0 }
        var (low, high) = (0, all.endIndex)
        // Quotes usually arrive in chronological order.
        if let last = all.last?.beginning, last < beginning { return high }
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
