import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The rule that decides whether a candle is closed for good, so that it may be stored.
@Suite(.unit) struct CandlePageTests {
    private let day = Timestamp("2026-11-21T00:00:00.000Z")!
    private let midnight = Timestamp("2026-11-22T00:00:00.000Z")!
    private let justBefore = Timestamp("2026-11-21T23:59:59.999Z")!

    /// The timestamp of the candle of 21 November, in an answer that may also contain the next day.
    private func time(
        _ received: Timestamp, sent: Timestamp? = nil, age: Duration? = nil, isLast: Bool = false
    ) throws -> Timestamp {
        let rows: [CandlePayload.Row] =
            [("2026-11-21T00:00", "1.5")] + (isLast ? [] : [("2026-11-22T00:00", "1.6")])
        let answer = try JSON(parsing: Array(CandlePayload.coinbase.body(rows).utf8))
        let (price, time) = try CandlePage(
            answer, of: TradingPair(.bitcoin), .day, from: .coinbase, received: received, sent: sent, age: age
        ).close(of: day)
        #expect(price.text == "1.5")
        return time
    }

    @Test func `an open candle has the time at which it was received`() throws {
        let noon = day + .seconds(12 * 3600)
        #expect(try time(noon, isLast: true) == noon)
        // The exchange may begin the next candle earlier than our clock.
        #expect(try time(midnight + .milliseconds(-1)) == midnight + .milliseconds(-1))
    }

    @Test(.fault(50), arguments: [(0, false), (1, false), (59_999, false), (60_000, true), (60_001, true)])
    func `a candle is closed for good a minute after its end`(milliseconds: Int, isClosed: Bool) throws {
        let received = midnight + .milliseconds(milliseconds)
        let time = try time(received)
        #expect((time == midnight) == isClosed)
        if !isClosed { #expect(time == justBefore) }
    }

    @Test(.fault(50), .fault(26))
    func `the clock alone does not close the last candle of an answer`() throws {
        for hours in [1, 23, 24, 24 * 365] {
            let received = midnight + .seconds(hours * 3600)
            #expect(try time(received, isLast: true) == justBefore)
        }
    }

    @Test(.fault(50), .fault(26))
    func `a clock that is days ahead does not close a candle that is open by the exchange's clock`() throws {
        let (noon, ahead) = (day + .seconds(12 * 3600), midnight + .seconds(30 * 24 * 3600))
        #expect(try time(ahead, sent: noon, isLast: true) == noon)
        #expect(try time(ahead, sent: day + .seconds(-1), isLast: true) == day)
        #expect(try time(ahead, sent: midnight + .seconds(24 * 3600), isLast: true) == midnight)
        // Nor does a wrong clock at the exchange.
        #expect(try time(noon, sent: ahead, isLast: true) == noon)
    }

    @Test(.fault(50), arguments: [(-60_001, true), (-60_000, false), (59_999, false), (60_000, true)])
    func `an exchange's clock is ignored if it contradicts its candles`(
        milliseconds: Int, isClosed: Bool
    ) throws {
        let sent = midnight + .milliseconds(milliseconds)
        #expect(try time(midnight + .seconds(3600), sent: sent) == (isClosed ? midnight : justBefore))
        #expect(try time(midnight + .seconds(-3600), sent: sent) == midnight + .seconds(-3600))
    }

    @Test func `the time that an answer spent in a cache is subtracted`() throws {
        let received = midnight + .seconds(80)
        #expect(try time(received, age: .seconds(20)) == midnight)
        #expect(try time(received, age: .seconds(21)) == justBefore)
    }
}
