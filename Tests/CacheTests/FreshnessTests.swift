import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The rule that decides whether a stored quote is fresh enough to answer a tick.
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

    @Test func `a closed candle is always fresh after its end`() {
        #expect(isFresh(anyCandle(), anyBeginning(day: 4000)))
        #expect(isFresh(anyCandle(), anyBeginning(day: 1)))
        #expect(!isFresh(anyCandle(), anyBeginning(day: 1) + .milliseconds(-1)))
    }

    @Test func `the last quote of an open candle is not fresh after the candle's end`() {
        let stored = anyCandle(openSince: 10_000)
        #expect(isFresh(stored, anyBeginning(day: 1) + .milliseconds(-1)))
        #expect(!isFresh(stored, anyBeginning(day: 1)))
    }

    @Test func `a quote received right after its candle's end is fresh while it is younger than the limit`() {
        var stored = anyCandle()
        stored.isClosed = false
        #expect(isFresh(stored, anyBeginning(day: 1) + .milliseconds(59_999)))
        #expect(!isFresh(stored, anyBeginning(day: 1) + .milliseconds(60_000)))
    }

    @Test func `the reading has the stored source and time and the member stored, but not an error flag`() {
        let reading = sut.reading(answering: anyTick(), with: stored, at: anyTime(1))
        var expected = Reading(answering: anyTick(), anyQuote(), from: "binance")
        expected.isStored = true
        #expect(reading == expected)
    }

    @Test func `the reading of a candle says whether it is closed and made up`() {
        var stored = anyCandle()
        stored.isMadeUp = true
        let reading = sut.reading(answering: dayTick(), with: stored, at: anyBeginning(day: 9))
        #expect(reading?.isClosed == true && reading?.isMadeUp == true)
    }

    @Test func `the failure describes the stored quote`() {
        let day = dayTick()
        let messages = [
            Freshness.expired(anyTick(), nil, problem: nil),
            Freshness.expired(anyTick(), stored, problem: nil),
            Freshness.expired(day, nil, problem: nil),
            Freshness.expired(anyTick(), nil, problem: "checksum mismatch"),
        ].map { $0.failures.map(\.message).joined() }
        #expect(
            messages == [
                "no quote is stored", "the stored quote is from 2026-11-21T14:03:07.412Z",
                "no 1d candle is stored",
                "the stored quote cannot be used: checksum mismatch",
            ])
    }
}
