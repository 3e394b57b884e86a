import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// An answer that says how old it is must not be shown as the price now.
@Suite(.unit) struct PriceAgeTests {
    private let now = Timestamp("2025-01-24T02:31:51.000Z")!
    /// The same in seconds since 1970.
    private let second = 1_737_685_911

    private func failure(_ source: PriceSource, _ body: String, age: Duration? = nil) -> FetchError? {
        let response = HTTPResponse(status: 200, age: age, body: Array(body.utf8))
        do throws(FetchError) {
            _ = try source.quote(of: .bitcoin, in: response, at: now)
            return nil
        } catch {
            return error
        }
    }

    private func bitstamp(_ time: Int) -> String { #"{"last":"92066","timestamp":"\#(time)"}"# }

    private func cryptoCompare(_ time: Int) -> String {
        #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":\#(time)}}"#
    }

    private let tooOld = FetchError(
        .invalidData, "the price is of 2025-01-24T02:30:50.000Z, more than 60 s ago")

    @Test(.fault(45)) func `a price of up to 60 s ago is a quote, and an older one is invalid data`() {
        for age in [0, 59, 60] {
            #expect(failure(.bitstamp, bitstamp(second - age)) == nil)
            #expect(failure(.cryptoCompare, cryptoCompare(second - age)) == nil)
            #expect(failure(.binance, Payload.binance, age: .seconds(age)) == nil)
        }
        #expect(failure(.bitstamp, bitstamp(second - 61)) == tooOld)
        #expect(failure(.cryptoCompare, cryptoCompare(second - 61)) == tooOld)
        #expect(failure(.binance, Payload.binance, age: .seconds(61)) == tooOld)
        #expect(failure(.binance, Payload.binance, age: .seconds(1 << 31))?.kind == .invalidData)
    }

    @Test(.fault(45)) func `the oldest of an answer's times counts`() {
        #expect(failure(.bitstamp, bitstamp(second - 61), age: .seconds(5)) == tooOld)
        #expect(failure(.bitstamp, bitstamp(second), age: .seconds(61)) == tooOld)
    }

    @Test func `a time ahead of our clock, or none, is not old`() {
        #expect(failure(.bitstamp, bitstamp(second + 3600)) == nil)
        for time in ["", #","timestamp":null"#, #","timestamp":"soon""#, #","timestamp":"17376859110000""#] {
            #expect(failure(.bitstamp, #"{"last":"92066"\#(time)}"#) == nil)
        }
    }
}
