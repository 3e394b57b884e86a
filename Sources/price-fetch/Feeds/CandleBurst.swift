import PipeCommon

/// Keeps answers with candles for a second, because the ticks of a burst may arrive some time apart: another stage
/// has answered some of them. Pure.
struct CandleBurst {
    private static let oldest = Duration.seconds(1)

    private struct Page {
        let market: Market
        let span: CandleSpan
        let answer: Plan.Answer
        let received: Deadline.Instant
    }

    private var pages: [Page] = []

    mutating func add(
        _ answer: @escaping Plan.Answer, of market: Market, _ span: CandleSpan, at now: Deadline.Instant
    ) {
        pages.append(Page(market: market, span: span, answer: answer, received: now))
    }

    /// The answer that covers a candle; nil if there is none.
    mutating func answer(
        for market: Market, _ candle: Candle, from beginning: Timestamp, at now: Deadline.Instant
    ) -> Plan.Answer? {
        pages.removeAll { now - $0.received >= Self.oldest }
        return pages.first {
            $0.market == market && $0.span.candle == candle && $0.span.covers(beginning)
        }?.answer
    }
}
