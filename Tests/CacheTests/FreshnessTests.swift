import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The rules that decide whether a stored quote is fresh enough to answer a tick, and which of two quotes is
/// newer, even if the clock was wrong for a while.
@Suite(.unit) struct FreshnessTests {
    private let sut = Freshness(limit: .seconds(60))
    private let stored = StoredQuote(quote: anyQuote())

    private func isFresh(_ stored: StoredQuote, _ now: Timestamp) -> Bool {
        sut.reading(answering: anyTick(), with: stored, at: now) != nil
    }

    @Test(arguments: [(-1, false), (0, true), (59_999, true), (60_000, false), (60_001, false)])
    func `a quote is fresh if it is younger than the limit and not from the future`(
        age: Int, expected: Bool
    ) {
        #expect(isFresh(stored, anyTime(age)) == expected)
    }

    private static let latest = StoredQuote(
        candle: .day, at: anyBeginning(), quote: anyQuote(at: anyBeginning(day: 1)))

    /// A candle's quote, the milliseconds since the candle's end, and whether the quote is fresh at that
    /// time.
    @Test(arguments: [
        (anyCandle(), -1, false), (anyCandle(), 0, true), (anyCandle(), 4000 * 86_400_000, true),
        // Quotes of open candles, received ten seconds before the candles' ends or exactly at their ends.
        (anyCandle(openSince: 10_000), -1, true), (anyCandle(openSince: 10_000), 0, false),
        (latest, 59_999, true), (latest, 60_000, false),
    ])
    func `a closed candle's quote never expires, but an open candle's quote does`(
        stored: StoredQuote, time: Int, expected: Bool
    ) {
        #expect(isFresh(stored, anyBeginning(day: 1) + .milliseconds(time)) == expected)
    }

    @Test func `an answer from the store keeps the quote's members and is marked as stored`() {
        var candle = anyCandle()
        candle.isMadeUp = true
        for (tick, stored) in [(anyTick(), stored), (dayTick(), candle)] {
            let reading = sut.reading(answering: tick, with: stored, at: stored.quote.timestamp)
            var expected = Reading(answering: tick, stored.quote, from: stored.source)
            (expected.isStored, expected.isClosed, expected.isMadeUp) = (
                true, stored.isClosed, stored.isMadeUp
            )
            #expect(reading == expected)
        }
    }

    @Test func `a tick's failure states why no stored quote is used`() {
        let day = dayTick()
        let messages = [
            Freshness.expired(anyTick(), nil, problem: nil),
            Freshness.expired(anyTick(), stored, problem: nil), Freshness.expired(day, nil, problem: nil),
            Freshness.expired(anyTick(), nil, problem: "checksum mismatch"),
        ].map { $0.failures.map(\.message).joined() }
        #expect(
            messages == [
                "no quote is stored", "the stored quote is from 2026-11-21T14:03:07.412Z",
                "no 1d candle is stored",
                "the stored quote cannot be used: checksum mismatch",
            ])
    }

    // MARK: the newer of two quotes (times are in milliseconds)

    private func isNewer(stored: Int, than new: Int, now: Int) -> Bool {
        Recency.isNewer(anyQuote(at: anyTime(stored)), than: anyQuote(at: anyTime(new)), at: anyTime(now))
    }

    @Test(arguments: [(-1, false), (0, false), (1, true)])
    func `a stored quote is newer only if it was received later`(later: Int, expected: Bool) {
        #expect(isNewer(stored: later, than: 0, now: later) == expected)
    }

    @Test(.fault(26), arguments: [(60_000, true), (60_001, false), (3_600_000, false)])
    func `a stored quote over a minute in the future does not count as newer`(ahead: Int, expected: Bool) {
        #expect(isNewer(stored: ahead, than: 0, now: 0) == expected)
    }

    @Test func `a quote from the future counts as newer than an old quote but not than a current quote`() {
        let moments = [-60_001, -60_000, 60_000, 60_001]
        #expect(moments.map { isNewer(stored: 3_600_000, than: 0, now: $0) } == [true, false, false, true])
        #expect(moments.map { isNewer(stored: 0, than: 3_600_000, now: $0) } == [false, true, true, false])
    }
}
