import PipeCommon

/// A reading, and the time span in which it was repeated.
struct RepeatedReading {
    let first: Reading
    private var end: Timestamp?

    init(_ reading: Reading) {
        (first, end) = (reading, reading.at)
    }

    /// - Returns: whether `reading` repeats the first reading. If so, the time span now ends at the time of `reading`.
    mutating func extend(with reading: Reading) -> Bool {
        guard reading.isFresh == first.isFresh, reading.source == first.source,
            reading.reasons == first.reasons, reading.isDisputed == first.isDisputed,
            !reading.isFresh
                || reading.quote?.price == first.quote?.price
                    && reading.quote?.currency == first.quote?.currency
        else { return false }
        end = reading.at
        return true
    }

    /// How long the reading was repeated; nil unless the latest repetition has a later time than the first reading.
    var span: Age? {
        guard let start = first.at, let end, end > start else { return nil }
        return Age(since: start, at: end)
    }
}

extension DetailsView {
    /// If the words about a reading do not fit and fewer columns than this are left for them, they are all left out
    /// instead of being shortened. The price is kept if it fits.
    private static var leastWords: Int { 16 }

    /// At most `rows` lines, one for each of the latest readings, newest first. A line shows the reading's time, the
    /// price and the source of a new quote, the failures worth showing, and how long the reading was repeated. Words
    /// that do not fit are shortened. If there is too little room for that, the words are left out. If the price does
    /// not fit either, an ellipsis replaces both if it fits; otherwise, at most the time is shown.
    ///
    /// - Parameter decimals: the minimum number of decimals, as in `Price.shownUnits`.
    func latest(_ readings: [RepeatedReading], _ decimals: Int, columns: Int, rows: Int) -> [Styled] {
        let readings = readings.suffix(rows)
        let prices = readings.map { repeated in
            let quote = repeated.first.isFresh ? repeated.first.quote : nil
            return quote.map { wording.money.text($0, keeping: decimals) } ?? "-"
        }
        guard let width = prices.map(\.columns).max() else { return [] }
        return zip(readings, prices).reversed().map { repeated, price in
            let reading = repeated.first
            let time = (reading.at ?? reading.quote?.timestamp).map(wording.clock.text) ?? ""
            let meaning: Palette.Meaning? = reading.isFresh ? nil : .banner
            let line = Styled("\(time)  ", meaning) + Styled(price, meaning).atEnd(of: width)
            let room = columns - line.columns - 2
            let words = words(of: reading, in: room) + (repeated.span.map { "  for \($0.text)" } ?? "")
            if words.columns > room, room < Self.leastWords {
                let short = Styled("\(time)  \(glyphs.ellipsis)")
                return [line, short, Styled(time), .empty].first(within: columns)
            }
            return line + Styled("  \(words.shortenedBetweenPrices(to: room, glyphs.ellipsis))", meaning)
        }
    }

    /// The source if the reading is fresh, and the failures worth showing, in words; `no quote` if the reading is not
    /// fresh and contains no failures. In a disputed reading, the word `disputed` replaces the failures of this kind;
    /// the compared prices follow it only if there is room for all of them and for an ellipsis.
    private func words(of reading: Reading, in room: Int) -> String {
        let isDisputed = reading.isDisputed
        let failures = reading.reasons.filter { !isDisputed || $0.kind != .disputed }.map(wording.text)
            .joined(separator: "; ")
        guard reading.isFresh else {
            return failures.isEmpty ? "no quote" : failures
        }
        var words = wording.shown(reading.source ?? "")
        if isDisputed {
            let prices = "  disputed\(wording.compared(in: reading))"
            words += words.columns + prices.columns <= room - glyphs.ellipsis.columns ? prices : "  disputed"
        }
        if !failures.isEmpty { words += "  after \(failures)" }
        return words
    }
}
