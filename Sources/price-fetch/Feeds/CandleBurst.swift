import PipeCommon

/// Keeps answers with candles for the rest of a burst, whose ticks may come some time apart because another stage has
/// answered some of them. A burst asks for each candle once, so a tick that asks for one again needs a new answer. Pure.
struct CandleBurst {
    /// A burst is over when nothing has been asked for this long.
    private static let pause = Duration.seconds(1)
    /// How old an answer may be, however long the burst goes on: the candle that is open changes.
    private static let oldest = Duration.seconds(60)

    private struct Page {
        let pair: TradingPair
        let range: CandleRange
        let answer: Plan.Answer
        let received: Deadline.Instant
        /// The candles that have been answered from it already.
        var asked: Set<Timestamp>
    }

    private var pages: [Page] = []
    private var lastUse: Deadline.Instant?

    /// - Parameter asked: the candles that have been answered from it already.
    mutating func add(
        _ answer: @escaping Plan.Answer, of pair: TradingPair, _ range: CandleRange, asked: [Timestamp],
        at now: Deadline.Instant
    ) {
        pages.append(Page(pair: pair, range: range, answer: answer, received: now, asked: Set(asked)))
        lastUse = now
    }

    /// The burst goes on: a request is under way.
    mutating func goOn(at now: Deadline.Instant) {
        lastUse = now
    }

    /// The answer that covers a candle, for a tick of the same burst.
    mutating func answer(
        for pair: TradingPair, _ candle: Candle, from beginning: Timestamp, at now: Deadline.Instant
    ) -> Plan.Answer? {
        let isOver = lastUse.map { now - $0 >= Self.pause } ?? true
        pages.removeAll { isOver || now - $0.received >= Self.oldest }
        let index = pages.firstIndex { page in
            page.pair == pair && page.range.candle == candle && page.range.covers(beginning)
                && !page.asked.contains(beginning)
        }
        guard let index else { return nil }
        lastUse = now
        pages[index].asked.insert(beginning)
        return pages[index].answer
    }
}
