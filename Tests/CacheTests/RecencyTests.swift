import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The rule by which a newer quote replaces the stored one, even after the clock was wrong. Times are in milliseconds.
@Suite(.unit) struct RecencyTests {
    private func isNewer(stored: Int, than new: Int, now: Int) -> Bool {
        Recency.isNewer(anyQuote(at: anyTime(stored)), than: anyQuote(at: anyTime(new)), at: anyTime(now))
    }

    @Test(arguments: [(-1, false), (0, false), (1, true)])
    func `the quote that was received later is newer`(later: Int, expected: Bool) {
        #expect(isNewer(stored: later, than: 0, now: later) == expected)
    }

    @Test(.fault(26), arguments: [(60_000, true), (60_001, false), (3_600_000, false)])
    func `a stored quote from the future is not newer than a current one`(ahead: Int, expected: Bool) {
        #expect(isNewer(stored: ahead, than: 0, now: 0) == expected)
    }

    @Test func `a recorded quote never replaces a newer quote, even if the clock is wrong`() {
        #expect(isNewer(stored: 3_600_000, than: 0, now: -120_000))
    }
}
