import PipeCommon

/// Keeps answers with candles for the rest of a burst, whose ticks may come some time apart because another stage has
/// answered some of them. A burst asks for each candle once, so a tick that asks for one again needs a new answer. Pure.
struct RecentPages {
    /// A burst is over when nothing has been asked for this long.
    private static let pause = Duration.seconds(1)
    /// How old an answer may be, however long the burst goes on: the candle that is open changes.
    private static let oldest = Duration.seconds(60)

    private struct Recent {
        let symbol: Symbol
        let range: CandleRange
        let page: CandlePage
        let received: Deadline.Instant
        var used: Deadline.Instant
        var asked: Set<Timestamp>
    }

    private var pages: [Recent] = []

    /// - Parameters:
    ///   - range: what the answer is of.
    ///   - asked: the candles that have been answered from it already.
    mutating func add(
        _ page: CandlePage, of symbol: Symbol, _ range: CandleRange, asked: [Timestamp],
        at now: Deadline.Instant
    ) {
        pages.append(
            Recent(symbol: symbol, range: range, page: page, received: now, used: now, asked: Set(asked)))
    }

    /// Counts all answers as used now, because the burst goes on.
    mutating func prolong(at now: Deadline.Instant) {
        for index in pages.indices { pages[index].used = now }
    }

    /// The answer that covers a candle, for a tick of the same burst.
    mutating func page(
        for symbol: Symbol, _ candle: Candle, from beginning: Timestamp, at now: Deadline.Instant
    ) -> CandlePage? {
        pages.removeAll { now - $0.used >= Self.pause || now - $0.received >= Self.oldest }
        let index = pages.firstIndex { recent in
            recent.symbol == symbol && recent.range.candle == candle && recent.range.covers(beginning)
                && !recent.asked.contains(beginning)
        }
        guard let index else { return nil }
        pages[index].used = now
        pages[index].asked.insert(beginning)
        return pages[index].page
    }
}
