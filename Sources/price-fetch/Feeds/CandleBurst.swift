import PipeCommon

/// Keeps answers with candles for the rest of a burst of ticks, which may arrive some time apart because
/// another stage has answered some of them. A burst requests each candle once, so a repeated request needs a
/// new answer. Pure.
struct CandleBurst {
    /// A burst is over after this long without a request.
    private static let pause = Duration.seconds(1)
    /// The maximum age of an answer, however long the burst lasts: the open candle changes.
    private static let oldest = Duration.seconds(60)

    private struct Page {
        let pair: TradingPair
        let range: CandleRange
        let answer: Plan.Answer
        let received: Deadline.Instant
        /// The beginnings of the candles that were already answered from it.
        var asked: Set<Timestamp>
    }

    private var pages: [Page] = []
    private var lastUse: Deadline.Instant?

    /// - Parameter asked: the beginnings of the candles that were already answered from it.
    mutating func add(
        _ answer: @escaping Plan.Answer, of pair: TradingPair, _ range: CandleRange, asked: [Timestamp],
        at now: Deadline.Instant
    ) {
        pages.append(Page(pair: pair, range: range, answer: answer, received: now, asked: Set(asked)))
        lastUse = now
    }

    /// Keeps the burst alive while a request is under way.
    mutating func goOn(at now: Deadline.Instant) {
        lastUse = now
    }

    /// The answer of the same burst that covers a candle; nil if there is none.
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
