import PipeCommon

/// The quotes of one file in the order of time: the last quote of a symbol, or those of its newest 1,000 candles. The
/// quote of a closed candle never changes. Pure.
struct QuoteSeries: Equatable, Sendable {
    private static let most = 1000

    let subject: Subject
    /// More than are stored, so that they seldom have to move.
    private var all: [StoredQuote] = []

    init(_ subject: Subject) {
        self.subject = subject
    }

    init(_ quote: StoredQuote) {
        (subject, all) = (quote.key.subject, [quote])
    }

    var quotes: ArraySlice<StoredQuote> { all.suffix(Self.most) }

    var newest: StoredQuote? { all.last }

    static func == (left: QuoteSeries, right: QuoteSeries) -> Bool {
        left.subject == right.subject && left.quotes == right.quotes
    }

    /// - Parameter beginning: of a candle; nil for the last quote of a symbol.
    subscript(beginning: Timestamp?) -> StoredQuote? {
        let place = place(of: beginning)
        return place < all.endIndex && all[place].key.beginning == beginning ? all[place] : nil
    }

    /// Records a quote that was just received.
    mutating func update(_ quote: StoredQuote) {
        insert(quote) { stored in !stored.isClosed }
    }

    /// Records quotes of another writer, unless this series has newer ones.
    mutating func merge(_ other: some Sequence<StoredQuote>, at now: Timestamp) {
        for quote in other { insert(quote) { stored in Recency.isReplaced(stored, by: quote, at: now) } }
    }

    private mutating func insert(_ quote: StoredQuote, replacing isReplaced: (StoredQuote) -> Bool) {
        let place = place(of: quote.key.beginning)
        if place < all.endIndex, all[place].key.beginning == quote.key.beginning {
            if isReplaced(all[place]) { all[place] = quote }
        } else {
            all.insert(quote, at: place)
            if all.count >= 2 * Self.most { all.removeFirst(all.count - Self.most) }
        }
    }

    /// The first place whose quote does not begin before this.
    private func place(of beginning: Timestamp?) -> Int {
        guard let beginning else { return 0 }
        var (low, high) = (0, all.endIndex)
        // Quotes usually arrive in their order.
        if let last = all.last?.key.beginning, last < beginning { return high }
        while low < high {
            let middle = (low + high) / 2
            if let other = all[middle].key.beginning, other < beginning {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
