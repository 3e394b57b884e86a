import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct CandleTests {
    @Test(arguments: [
        (Candle.minute, "2026-11-21T14:03:00.000Z"), (.fiveMinutes, "2026-11-21T14:00:00.000Z"),
        (.quarterHour, "2026-11-21T14:00:00.000Z"), (.hour, "2026-11-21T14:00:00.000Z"),
        (.day, "2026-11-21T00:00:00.000Z"),
    ])
    func `a time belongs to the candle that began last`(sut: Candle, beginning: String) throws {
        let time = try #require(Timestamp("2026-11-21T14:03:07.412Z"))
        #expect(sut.beginning(of: time).text == beginning)
    }

    @Test func `a candle contains its first millisecond but not the millisecond after its last`() throws {
        let midnight = try #require(Timestamp("2026-11-21T00:00:00.000Z"))
        #expect(Candle.day.beginning(of: midnight) == midnight)
        #expect(Candle.day.beginning(of: midnight + .milliseconds(86_399_999)) == midnight)
        #expect(Candle.day.beginning(of: midnight + Candle.day.length) == midnight + Candle.day.length)
    }

    @Test func `daily candles before 1970 begin at midnight as well`() throws {
        let time = try #require(Timestamp("1969-12-31T23:59:59.999Z"))
        #expect(Candle.day.beginning(of: time).text == "1969-12-31T00:00:00.000Z")
    }
}
