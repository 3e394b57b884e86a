import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How the timestamp of a candle is determined, and when a candle counts as closed for good.
@Suite(.unit) struct CandlePageTests {
    private struct Time: Equatable {
        let at: Timestamp
        var isClosed = false
    }

    private let day = Timestamp("2026-11-21T00:00:00.000Z")!
    private let midnight = Timestamp("2026-11-22T00:00:00.000Z")!

    /// The timestamp of the candle of 21 November in an answer, and whether the candle is closed. Unless `isLast` is
    /// true, the answer also contains the candle of the next day.
    ///
    /// - Parameters:
    ///   - received: when the answer arrived, according to our clock.
    ///   - sent: when the answer was sent, according to the exchange's clock; nil if this is not known.
    ///   - age: how long the answer was in a cache; nil if this is not known.
    private func time(
        _ received: Timestamp, sent: Timestamp? = nil, age: Duration? = nil, isLast: Bool = false
    ) throws -> Time {
        let rows: [CandlePayload.Row] =
            [("2026-11-21T00:00", "1.5")] + (isLast ? [] : [("2026-11-22T00:00", "1.6")])
        let answer = try JSON(parsing: Array(CandlePayload.coinbase.body(rows).utf8))
        let market = try PriceSource.coinbase.market(of: .bitcoin)
        let candle = try CandlePage(
            answer, of: market, .day, from: .coinbase, received: received, sent: sent, age: age
        ).candle(of: day)
        #expect(candle.close.text == "1.5")
        return Time(at: candle.timestamp, isClosed: candle.isClosed)
    }

    @Test func `the timestamp of an open candle is the time at which the candle was received`() throws {
        let noon = day + .seconds(12 * 3600)
        #expect(try time(noon, isLast: true) == Time(at: noon))
        // The exchange may begin the next candle before it is midnight by our clock.
        #expect(try time(midnight + .milliseconds(-1)) == Time(at: midnight + .milliseconds(-1)))
    }

    @Test(.fault(50), arguments: [(0, false), (1, false), (59_999, false), (60_000, true), (60_001, true)])
    func `a candle is closed for good a minute after its end`(milliseconds: Int, isClosed: Bool) throws {
        // The answer also contains the next candle, which proves that this candle has ended.
        let received = midnight + .milliseconds(milliseconds)
        #expect(try time(received) == Time(at: midnight, isClosed: isClosed))
    }

    @Test(.fault(50), .fault(26))
    func `our clock alone never proves that the last candle of an answer is closed`() throws {
        let times = try [1, 23, 24, 8760].map { try time(midnight + .seconds($0 * 3600), isLast: true) }
        #expect(times == Array(repeating: Time(at: midnight), count: 4))
    }

    @Test(.fault(50), .fault(26))
    func `a candle that is open by the exchange's clock stays open even if our clock is days ahead`() throws {
        let (noon, ahead) = (day + .seconds(12 * 3600), midnight + .seconds(30 * 24 * 3600))
        #expect(try time(ahead, sent: noon, isLast: true) == Time(at: noon))
        #expect(try time(ahead, sent: day + .seconds(-1), isLast: true) == Time(at: day))
        let late = midnight + .seconds(24 * 3600)
        #expect(try time(ahead, sent: late + .milliseconds(-1), isLast: true) == Time(at: midnight))
        #expect(try time(ahead, sent: late, isLast: true) == Time(at: midnight, isClosed: true))
        // The candle also stays open if the exchange's clock is days ahead.
        #expect(try time(noon, sent: ahead, isLast: true) == Time(at: noon))
    }

    @Test(.fault(50), arguments: [(-60_001, true), (-60_000, false), (59_999, false), (60_000, true)])
    func `a server clock that contradicts the candles by more than a minute is ignored`(
        milliseconds: Int, isClosed: Bool
    ) throws {
        let sent = midnight + .milliseconds(milliseconds)
        #expect(try time(midnight + .seconds(3600), sent: sent) == Time(at: midnight, isClosed: isClosed))
        #expect(try time(midnight + .seconds(-3600), sent: sent) == Time(at: midnight + .seconds(-3600)))
    }

    @Test func `the time that an answer spent in a cache is subtracted from the time of its arrival`() throws
    {
        let received = midnight + .seconds(80)
        #expect(try time(received, age: .seconds(20)) == Time(at: midnight, isClosed: true))
        #expect(try time(received, age: .seconds(21)) == Time(at: midnight))
    }
}
