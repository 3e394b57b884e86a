import Foundation
import TestTraits
import Testing

@testable import PipeCommon

/// How times are read and written, and to which candle a time belongs.
@Suite(.unit) struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0), ("1969-12-31T23:59:59.999Z", -1),
        ("2024-02-29T12:00:00.500Z", 1_709_208_000_500),
        ("2000-02-29T00:00:00.000Z", 951_782_400_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `dates follow the Gregorian calendar`(text: String, milliseconds: Int) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test func `dates match the C library, and times outside the years 0 to 9999 are clamped`() {
        let first = Timestamp("0000-01-01T00:00:00.000Z")!.milliseconds / 86_400_000
        let last = Timestamp("9999-12-31T00:00:00.000Z")!.milliseconds / 86_400_000
        // Check every 97th day and every day of the years 100 to 103, because the year 100 was not a leap year.
        for day in first...last where day % 97 == 0 || (0..<1500).contains(day + 719_528 - 36_500) {
            var seconds = time_t(day * 86_400 + 45_296)
            var fields = tm()
            gmtime_r(&seconds, &fields)
            let text = String(
                format: "%04d-%02d-%02dT12:34:56.789Z", fields.tm_year + 1900, fields.tm_mon + 1,
                fields.tm_mday)
            let time = Timestamp(milliseconds: seconds * 1000 + 789)
            #expect(time.text == text && Timestamp(text) == time)
        }
        #expect(last - first == 3_652_424)
        #expect([Int.min, .max].map { Timestamp(milliseconds: $0).text.prefix(4) } == ["0000", "9999"])
    }

    @Test(arguments: [
        "", "2026-11-21T14:03:07Z", "2026-11-21T14:03:07.00Z", "2026-11-21T14:03:07.0000Z",
        "2026-11-21T14:03:07.000+00:00", "2026-11-21 14:03:07.000Z", "2026-11-21t14:03:07.000Z",
        "2026-11-21T14:03:07.000z", "2026-02-30T14:03:07.000Z", "2025-02-29T14:03:07.000Z",
        "2026-11-21T14:03:60.000Z", "2026-11-21T24:00:00.000Z", "2026-13-01T14:03:07.000Z",
        "2026-11-2xT14:03:07.000Z", "2026-11-21T14:03:07.000Z ", "+026-11-21T14:03:07.000Z",
        "２０２６-11-21T14:03",
    ])
    func `a time that does not exist or is not in the required format is rejected`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `a timestamp with one changed byte is rejected or read as a different time`() {
        let text = Array("2026-11-21T14:03:07.412Z".utf8)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[place] {
                var changed = text
                changed[place] = byte
                let time = changed.withUnsafeBufferPointer { InlineText($0).flatMap(Timestamp.init) }
                // An accepted text is written back unchanged. A text can be accepted only if a digit was replaced by
                // another digit.
                #expect(time.map { Array($0.text.utf8) == changed } ?? true)
                if !UInt8.isDigit(byte) || !UInt8.isDigit(text[place]) { #expect(time == nil) }
            }
        }
    }

    @Test func `the current time agrees with the system clock as Foundation reads it`() {
        let before = Date().timeIntervalSince1970 * 1000 - 1
        #expect((before...before + 60_000).contains(Double(Timestamp.now().milliseconds)))
    }

    // MARK: candles

    @Test(arguments: [
        (Candle.minute, "2026-11-21T14:03:00.000Z"), (.fiveMinutes, "2026-11-21T14:00:00.000Z"),
        (.quarterHour, "2026-11-21T14:00:00.000Z"), (.hour, "2026-11-21T14:00:00.000Z"),
        (.day, "2026-11-21T00:00:00.000Z"),
    ])
    func `a time belongs to the candle that began most recently`(sut: Candle, beginning: String) {
        #expect(sut.beginning(of: Timestamp("2026-11-21T14:03:07.412Z")!).text == beginning)
    }

    @Test(arguments: ["1969-12-31T00:00:00.000Z", "2026-11-21T00:00:00.000Z"])
    func `a candle contains its first and last millisecond, but not the millisecond after that`(day: String) {
        let midnight = Timestamp(day)!
        #expect(Candle.day.beginning(of: midnight) == midnight)
        #expect(Candle.day.beginning(of: midnight + .milliseconds(86_399_999)) == midnight)
        #expect(Candle.day.beginning(of: midnight + Candle.day.length) == midnight + Candle.day.length)
    }
}
