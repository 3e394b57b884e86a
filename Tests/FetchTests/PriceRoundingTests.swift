import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// How numbers from exchanges are converted to prices in records.
@Suite(.unit) struct PriceRoundingTests {
    @Test(
        .fault(11),
        arguments: [
            // Too many decimals, as in Coinbase's spot prices of 2025 and 2026
            ("0.2606720647230226346175", "0.260672064723"), ("0.00003617043173982414495", "0.000036170432"),
            ("92066.9551234567890123456", "92066.955123456789"), ("1.1234567890125", "1.123456789013"),
            ("1.1234567890124999", "1.123456789012"), ("0.9999999999995", "1.000000000000"),
            ("9.9999999999999", "10.000000000000"), ("0.0000000000005", "0.000000000001"),
            // With an exponent
            ("1.2e-11", "0.000000000012"), ("1.50e1", "15.0"), ("1.0345751e5", "103457.51"), ("12e0", "12"),
            ("1E+003", "1000"), ("5e-13", "0.000000000001"), ("0.00012e4", "1.2"), ("0.0e0", nil),
            ("100e-2", "1.00"), ("999999999999e0", "999999999999"), ("0.000000000000000001e18", "1"),
            // Unchanged
            ("65000", "65000"), ("65000.0", "65000.0"), ("0.120", "0.120"),
            // Too small, too large, negative or not in the expected format
            ("0.0000000000004", nil), ("4e-13", nil), ("1e-999", nil), ("1e12", nil), ("1e400", nil),
            ("1e9999", nil), ("999999999999.9999999999999", nil), ("1234567890123", nil), ("1e", nil),
            ("1e+", nil), ("e5", nil), (".5e1", nil), ("5.e1", nil), ("1e1.5", nil), ("1e5e5", nil),
            ("-1e5", nil), ("+1e5", nil), ("1.2.3", nil), ("", nil), ("1.123456789012x", nil),
            ("-1", nil), ("0", nil), ("-0", nil), ("NaN", nil), ("Infinity", nil), ("1,234.5", nil),
            ("1abc", nil), ("0x1F", nil), (" 1", nil), ("１２", nil), ("true", nil), ("1e0003", nil),
        ] as [(String, String?)])
    func `a price is rounded to at most 12 decimals, or rejected if invalid`(text: String, price: String?) {
        #expect(Price(rounding: text)?.text == price)
    }

    @Test func `a price may contain an exponent if it is a JSON number, but not if it is a string`() throws {
        let text = #"{"n":1.2e-7,"s":"1.2e-7","long":"0.2606720647230226346175"}"#
        let answer = try JSON(parsing: text.utf8)
        #expect(try answer.price("/n", as: .either).text == "0.00000012")
        #expect(try answer.price("/long", as: .string).text == "0.260672064723")
        #expect(throws: InvalidInput("/s is not a price")) { try answer.price("/s", as: .either) }
    }

    @Test func `a number with 60,000 digits is rounded, or rejected if it is too large`() {
        let zeros = String(repeating: "0", count: 60_000)
        #expect(Price(rounding: "1.\(zeros)1")?.text == "1.000000000000")
        #expect(Price(rounding: "1\(zeros)") == nil)
    }
}
