import Foundation
import PipeCommon
import TestSupport
import Testing

@testable import price_format

/// What a person reads: exact texts.
struct PriceViewTests {
    private func show(
        _ line: String, _ words: String..., zone: String = "UTC0", more: [String: String] = [:]
    ) -> String {
        let environment = more.merging(["TZ": zone]) { $1 }
        return RunningProgram.run("price-format", words, input: line, environment: environment).output
    }

    private func flagged(_ line: String, _ error: Bool) -> String {
        line.dropLast() + #","error":\#(error)}"#
    }

    @Test func `a new quote is one line: when it was received, and the price`() {
        #expect(show(flagged(quoteLine(), false)) == "Nov 21, 14:03 - $68,901.23\n")
        #expect(show(quoteLine()) == "Nov 21, 14:03 - $68,901.23\n")
    }

    @Test func `the last known quote has the banner above it`() {
        #expect(
            show(flagged(quoteLine(), true)) == """
                Failed to update value. Displaying last updated value from Nov 21, 14:03
                Nov 21, 14:03 - $68,901.23

                """)
    }

    @Test func `no quote at all is the banner and a dash`() {
        let expected = "Failed to update value. Displaying last updated value from -\n-\n"
        #expect(show(flagged(failureLine(), true)) == expected)
        #expect(show(failureLine()) == expected)
        #expect(show(#"{"error":true}"#) == expected)
    }

    @Test func `the first good tick hides the banner`() {
        let lines = show(
            [flagged(quoteLine("1.00"), true), flagged(quoteLine("2.00"), false)].joined(separator: "\n"))
        #expect(lines.split(separator: "\n").last == "Nov 21, 14:03 - $2.00")
    }

    @Test func `a symbol other than bitcoin is named`() {
        #expect(show(quoteLine("3012.55", symbol: "ETH-USD")) == "Nov 21, 14:03 - ETH-USD $3,012.55\n")
        #expect(show(quoteLine(symbol: "BTC-USD")) == "Nov 21, 14:03 - $68,901.23\n")
        #expect(show(failureLine(symbol: "ETH-USD")).hasSuffix("\nETH-USD -\n"))
    }

    @Test(arguments: [
        ("UTC0", "Nov 21, 14:03"), ("Asia/Tokyo", "Nov 21, 23:03"), (":America/New_York", "Nov 21, 09:03"),
        ("EST5EDT", "Nov 21, 09:03"), ("<+0330>-3:30", "Nov 21, 17:33"), ("UTC-14", "Nov 22, 04:03"),
        ("XXX-20", "Nov 22, 10:03"),
    ])
    func `times are local, whatever the form of TZ`(zone: String, time: String) {
        #expect(show(quoteLine(), zone: zone) == "\(time) - $68,901.23\n")
    }

    @Test(arguments: [
        ("2026-03-29T00:59:59.999Z", "Mar 29, 01:59"), ("2026-03-29T01:00:00.000Z", "Mar 29, 03:00"),
    ])
    func `daylight saving is that of the quote's own time`(received: String, time: String) {
        let line = quoteLine(at: Timestamp(received)!)
        #expect(show(line, zone: "Europe/Berlin") == "\(time) - $68,901.23\n")
    }

    @Test(arguments: [
        ("en_US", "Nov 21, 14:03 - $68,901.23"), ("en-US", "Nov 21, 14:03 - $68,901.23"),
        ("de_DE", "Nov. 21, 14:03 - 68.901,23\u{A0}$"),
        ("fr_FR", "nov. 21, 14:03 - 68\u{202F}901,23\u{A0}$US"),
        ("en_GB", "Nov 21, 14:03 - US$68,901.23"), ("ja_JP", "11月 21, 14:03 - $68,901.23"),
    ])
    func `time and price speak the locale that is named`(locale: String, expected: String) {
        #expect(show(quoteLine(), "--locale", locale) == expected + "\n")
    }

    @Test(
        .enabled(if: ForeignLocale.areInstalled, "needs the locales de_DE and tr_TR"),
        arguments: ForeignLocale.names + ["C", ""])
    func `the environment's locale changes nothing`(locale: String) {
        let environment = ["LANG": locale, "LC_ALL": locale]
        #expect(show(quoteLine(), more: environment) == "Nov 21, 14:03 - $68,901.23\n")
    }

    @Test func `the time's format can be named`() {
        let words = ["--time-format", "yyyy-MM-dd HH:mm:ss.SSS"]
        #expect(show(quoteLine(), words[0], words[1]) == "2026-11-21 14:03:07.412 - $68,901.23\n")
    }

    @Test(arguments: [
        ("68901.23", "USD", "$68,901.23"), ("92066.955", "USD", "$92,066.96"),
        ("68901.225", "USD", "$68,901.23"),
        ("68901.224999999999", "USD", "$68,901.22"), ("92066", "USD", "$92,066.00"),
        ("114721.34000000", "USD", "$114,721.34"),
        ("999999999999.99", "USD", "$999,999,999,999.99"), ("0.5", "USD", "$0.50"),
        ("0.0000012", "USD", "$0.0000012"),
        ("0.999", "USD", "$0.999"), ("000001.50", "USD", "$1.50"), ("68901.23", "EUR", "€68,901.23"),
        ("68901.5", "JPY", "¥68,902"),
    ])
    func `a price is rounded to the currency's digits, and below one keeps all of its own`(
        price: String, currency: String, expected: String
    ) {
        let quote = Quote(price: Price(price)!, currency: Currency(currency)!, timestamp: anyTime())
        #expect(MoneyFormatter(locale: Locale(identifier: "en_US")).text(quote) == expected)
    }
}
