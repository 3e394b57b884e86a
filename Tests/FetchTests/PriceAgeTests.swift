import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// A price with an old timestamp must not be used as the current price.
@Suite(.unit) struct PriceAgeTests {
    private let now = Timestamp("2025-01-24T02:31:51.000Z")!
    /// `now` in seconds since 1970.
    private let second = 1_737_685_911

    private func failure(_ source: PriceSource, _ body: String, age: Duration? = nil) -> FetchError? {
        source.error(in: HTTPResponse(status: 200, age: age, body: Array(body.utf8)), at: now)
    }

    @Test(.fault(70), arguments: [(61, "61 s ahead of"), (-900, "900 s behind"), (60, nil), (-60, nil)])
    func `a clock error of more than a minute is reported with its size`(seconds: Int, words: String?) {
        let date = "Fri, 24 Jan 2025 02:31:51 GMT"
        let problem = PriceAge.clockProblem(date, at: now + .seconds(seconds))
        #expect(problem == words.map { "this machine's clock is \($0) the server's" })
        #expect(PriceAge.clockProblem(nil, at: now) == nil && PriceAge.clockProblem("soon", at: now) == nil)
    }

    @Test(.fault(70), arguments: [(5, true), (6, false)])
    func `a pushed price with a timestamp more than 5 s in the future is rejected`(
        seconds: Int, isReadable: Bool
    ) {
        let check: Void? = try? PriceAge.checkNotAhead(now + .seconds(seconds), at: now)
        #expect((check != nil) == isReadable)
    }

    private func bitstamp(_ time: Int) -> String { #"{"last":"92066","timestamp":"\#(time)"}"# }

    private func cryptoCompare(_ time: Int) -> String {
        #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":\#(time)}}"#
    }

    private let tooOld = FetchError(
        .invalidData, "the price is from 2025-01-24T02:30:50.000Z, more than 60 s ago")

    @Test(.fault(45), arguments: [-3600, 0, 59, 60, 61])
    func `for most sources, a price that is more than 60 s old is invalid data`(age: Int) {
        let expected = age > 60 ? tooOld : nil
        #expect(failure(.bitstamp, bitstamp(second - age)) == expected)
        #expect(failure(.cryptoCompare, cryptoCompare(second - age)) == expected)
        #expect(failure(.binance, Payload.binance, age: .seconds(age)) == expected)
        #expect(failure(.binance, Payload.binance, age: .seconds(1 << 31))?.kind == .invalidData)
    }

    @Test(.fault(45)) func `if the timestamp and the Age header disagree, the greater age counts`() {
        #expect(failure(.bitstamp, bitstamp(second - 61), age: .seconds(5)) == tooOld)
        #expect(failure(.bitstamp, bitstamp(second), age: .seconds(61)) == tooOld)
    }

    @Test(
        .fault(45),
        arguments: [
            ("", "the answer contains no /timestamp"),
            (#","timestamp":null"#, "the answer contains no /timestamp"),
            (#","timestamp":"soon""#, "/timestamp is not a time in seconds"),
        ])
    func `a price whose time is missing or unreadable is invalid data`(time: String, reason: String) {
        #expect(failure(.bitstamp, #"{"last":"92066"\#(time)}"#) == FetchError(.invalidData, reason))
    }

    @Test(.fault(45)) func `Coinbase's last trade may be up to ten minutes old`() {
        let last = { (time: String) in #"{"price":"63212.97","time":"2025-01-24T02:\#(time)Z"}"# }
        for time in ["31:51.000000001", "31:51", "21:51", "21:51.000"] {
            #expect(failure(.coinbase, last(time)) == nil)
        }
        let old = "the price is from 2025-01-24T02:21:50.999Z, more than 600 s ago"
        #expect(failure(.coinbase, last("21:50.999999999")) == FetchError(.invalidData, old))
    }

    @Test(arguments: [
        (#""1737685911""#, TimeField.Form.seconds, 1_737_685_911_000 as Int?),
        ("1737685911", .seconds, 1_737_685_911_000),
        ("1737685911123", .milliseconds, 1_737_685_911_123), (#""0""#, .milliseconds, 0),
        ("-1", .seconds, nil), ("1.5", .seconds, nil), ("1e9", .seconds, nil), (#""""#, .seconds, nil),
        ("1737685911123", .seconds, nil), ("9999999999999999", .milliseconds, nil),
        ("1737685911123456", .microseconds, 1_737_685_911_123), ("1737685911123456789", .microseconds, nil),
        ("1737685911123456789", .nanoseconds, 1_737_685_911_123),
        ("9999999999999999999", .nanoseconds, nil), (#""01737685911123456789""#, .nanoseconds, nil),
        (#""2025-01-24T02:31:51Z""#, .rfc3339, 1_737_685_911_000),
        (#""2025-01-24T02:31:51.1Z""#, .rfc3339, 1_737_685_911_100),
        (#""2025-01-24T02:31:51.123999999Z""#, .rfc3339, 1_737_685_911_123),
        (#""2025-01-24T02:31:51.Z""#, .rfc3339, nil), (#""2025-01-24T02:31:51""#, .rfc3339, nil),
        (#""2025-01-24T02:31:51.5+01:00""#, .rfc3339, nil), (#""2025-02-30T02:31:51Z""#, .rfc3339, nil),
        (#""2025-01-24T02:31:51.1.2Z""#, .rfc3339, nil), ("1737685911", .rfc3339, nil),
        (#""Z""#, .rfc3339, nil), ("null", .seconds, nil), ("[]", .milliseconds, nil),
    ])
    func `a time is read only in the format that the exchange uses`(
        text: String, form: TimeField.Form, milliseconds: Int?
    ) throws {
        let answer = try JSON(parsing: Array(#"{"t":\#(text)}"#.utf8))
        #expect((try? TimeField("/t", in: form).time(in: answer))?.milliseconds == milliseconds)
    }
}
