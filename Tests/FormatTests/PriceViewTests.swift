import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The exact texts of the plain view.
@Suite(.unit) struct PriceViewTests {
    private func show(_ line: String, _ wording: Wording = .inUTC()) throws -> String {
        var text = ByteBuffer()
        var sut = PlainLines(wording, Palette(usesColor: false))
        sut.append(try Reading(line: line.utf8), to: &text)
        return text.text
    }

    private func flagged(_ line: String, _ error: Bool) -> String {
        line.dropLast() + #","error":\#(error)}"#
    }

    @Test func `a candle gives one line with its beginning, whether it is closed or open`() throws {
        let day = #"{"tick":0,"at":"2026-11-20T00:00:00.000Z","symbol":"ETH-USD","candle":"1d","#
        func line(_ time: String, _ closed: String = "") -> String {
            day
                + #""source":"binance","quote":{"value":"3500","currency":"USD","timestamp":"\#(time)"},"error":true\#(closed)}"#
        }
        let end = "2026-11-21T00:00:00.000Z"
        #expect(
            try show(line(end, #","closed":true"#)) == "Nov 20, 00:00 - ETH-USD 1d candle closed at $3,500.00"
        )
        for time in ["2026-11-20T14:03:07.000Z", end] {
            #expect(try show(line(time)) == "Nov 20, 00:00 - ETH-USD 1d candle now at $3,500.00")
        }
        #expect(try show(day + #""error":true}"#) == "Nov 20, 00:00 - ETH-USD 1d candle -")
    }

    @Test func `a new quote gives one line with the time when it was received and the price`() throws {
        #expect(try show(flagged(quoteLine(), false)) == "Nov 21, 14:03 - $68,901.23")
        #expect(try show(quoteLine()) == "Nov 21, 14:03 - $68,901.23")
    }

    @Test func `a time in another year than its tick includes the year, unless the user chose a format`()
        throws
    {
        let old = String(flagged(quoteLine(at: Timestamp("2025-04-09T14:03:07.412Z")!), true))
        #expect(
            try show(old) == """
                Failed to update value. Displaying last updated value from Apr 9, 2025, 14:03
                Apr 9, 2025, 14:03 - $68,901.23
                """)
        #expect(try show(old, .inUTC(timeFormat: "HH:mm")).hasSuffix("14:03 - $68,901.23"))
        for (locale, text) in [("de_DE", "9. Apr. 2025, 14:03"), ("ja_JP", "2025年4月9日 14:03")] {
            let icu = ICULocale(identifier: locale)
            let wording = Wording(
                timeFormat: TimeFormat.short(in: icu), withYear: TimeFormat.short(in: icu, withYear: true),
                locale: icu, offset: { _ in 0 })
            let shown = try show(old, wording)
            #expect(shown.contains(text), "\(shown)")
        }
    }

    @Test func `the year is shown in the local time zone`() throws {
        let wording = Wording(
            timeFormat: "HH", withYear: "y HH", locale: ICULocale(identifier: "en_US"), offset: { _ in 7200 })
        let midnight = Timestamp("2026-12-31T22:00:00.000Z")!
        for (time, now, text) in [
            (-60_000, -1, "23"), (-60_000, 0, "2026 23"), (0, 3_600_000, "00"), (0, -1, "2027 00"),
        ] {
            #expect(wording.text(midnight + .milliseconds(time), at: midnight + .milliseconds(now)) == text)
        }
    }

    @Test func `the last known quote is printed below a banner`() throws {
        #expect(
            try show(flagged(quoteLine(), true)) == """
                Failed to update value. Displaying last updated value from Nov 21, 14:03
                Nov 21, 14:03 - $68,901.23
                """)
    }

    @Test func `the banner names the source of a stored price that was not queried for the tick`() throws {
        func banner(_ failed: String...) throws -> String {
            var reading = Reading(answering: anyTick(), anyQuote(), from: "me")
            reading.failures = failed.map { anyFailure($0, .network) }
            reading.error = true
            return try show(reading.text).components(separatedBy: "\n")[0]
        }
        let words = "Failed to update value. Displaying last updated value from Nov 21, 14:03"
        #expect(try banner("binance", "coinbase") == "\(words) (source: me)")
        #expect(try banner("binance", "me") == words)
        #expect(try banner() == words)
    }

    @Test func `without a quote, a reason and a dash are printed`() throws {
        let expected = "No price yet: binance: any message\n-"
        #expect(try show(flagged(failureLine(), true)) == expected)
        #expect(try show(failureLine()) == expected)
        #expect(try show(#"{"error":true}"#) == "No price yet\n-")
    }

    @Test func `while there has been no price and no network, the hint follows the reason`() throws {
        var wording = Wording.inUTC()
        wording.offlineHint = "try something else"
        let words = "No price yet: binance: any message"
        #expect(try show(failureLine(kind: .network), wording) == "\(words); try something else\n-")
        #expect(try show(failureLine(kind: .denied), wording) == "\(words)\n-")
    }

    @Test func `the reason for a missing price is printed once, with the first failure of each kind`() {
        var sut = PlainLines(.inUTC(), Palette(usesColor: false))
        func show(_ symbol: String? = nil, _ failures: Failure...) -> String {
            var text = ByteBuffer()
            let tick = anyTick(symbol: symbol)
            let quoted = Reading(answering: tick, anyQuote(), from: "binance")
            sut.append(failures.isEmpty ? quoted : Reading(answering: tick, failures), to: &text)
            return text.text
        }
        let (first, second) = (anyFailure("binance", .network), anyFailure("coinbase", .denied))
        let words = "No price yet: binance: any message; coinbase: any message\n"
        #expect(show(nil, first, anyFailure("kraken", .network), second) == words + "-")
        #expect(show(nil, second) == "-")
        #expect(show("ETH-USD", first, second) == "ETH-USD -")
        #expect(show("XX-USD", second) == "No price yet: coinbase: any message\nXX-USD -")
        #expect(show() == "Nov 21, 14:03 - $68,901.23")
        #expect(show(nil, first, second) == words + "-")
    }

    @Test func `a symbol other than BTC-USD is named`() throws {
        #expect(try show(quoteLine("3012.55", symbol: "ETH-USD")) == "Nov 21, 14:03 - ETH-USD $3,012.55")
        #expect(try show(quoteLine(symbol: "BTC-USD")) == "Nov 21, 14:03 - $68,901.23")
        #expect(try show(failureLine(symbol: "ETH-USD")).hasSuffix("\nETH-USD -"))
    }

    @Test(arguments: [
        ("en_US", "Nov 21, 14:03 - $68,901.23"),
        ("de_DE", "Nov. 21, 14:03 - 68.901,23\u{A0}$"),
        ("fr_FR", "nov. 21, 14:03 - 68\u{202F}901,23\u{A0}$US"),
        ("en_GB", "Nov 21, 14:03 - US$68,901.23"), ("ja_JP", "11月 21, 14:03 - $68,901.23"),
    ])
    func `time and price are written as in the chosen locale`(locale: String, expected: String) throws {
        #expect(try show(quoteLine(), .inUTC(locale: locale)) == expected)
    }

    @Test func `the code of an unknown currency follows the number in every locale`() throws {
        let line = quoteLine().replacing("\"USD\"", with: "\"USDT\"")
        #expect(try show(line, .inUTC(locale: "de_DE")).hasSuffix(" - 68.901,23 USDT"))
        #expect(try show(line, .inUTC(locale: "ar_EG")).hasSuffix(" USDT"))
    }

    @Test func `the time format can be chosen`() throws {
        let wording = Wording.inUTC(timeFormat: "yyyy-MM-dd HH:mm:ss.SSS")
        #expect(try show(quoteLine(), wording) == "2026-11-21 14:03:07.412 - $68,901.23")
    }

    @Test(arguments: [
        ("68901.23", "USD", "$68,901.23"), ("92066.955", "USD", "$92,066.96"),
        ("68901.225", "USD", "$68,901.23"),
        ("68901.224999999999", "USD", "$68,901.22"), ("92066", "USD", "$92,066.00"),
        ("114721.34000000", "USD", "$114,721.34"),
        ("999999999999.99", "USD", "$999,999,999,999.99"), ("0.5", "USD", "$0.50"),
        ("0.0000012", "USD", "$0.0000012"),
        ("0.999", "USD", "$0.999"), ("000001.50", "USD", "$1.50"), ("68901.23", "EUR", "€68,901.23"),
        ("68901.5", "JPY", "¥68,902"), ("10.08349", "USD", "$10.08"), ("10", "USD", "$10.00"),
        ("1.08349", "USD", "$1.0835"), ("1.08349", "EUR", "€1.0835"), ("1.08", "USD", "$1.08"),
        ("1.08000000", "USD", "$1.08"), ("1.0031", "USD", "$1.0031"), ("5", "USD", "$5.00"),
        ("9.99994", "USD", "$9.9999"), ("9.99996", "USD", "$10.00"), ("1.5", "JPY", "¥1.5"),
        ("5", "KWD", "KWD\u{A0}5.000"), ("0.5", "KWD", "KWD\u{A0}0.500"),
        ("0.000000000001", "USD", "$0.000000000001"),
        ("68901.23", "USDT", "68,901.23 USDT"), ("68901.5", "USDC", "68,901.50 USDC"),
        ("1.0031", "BTC", "1.0031 BTC"), ("0.03126", "ETH", "0.03126 ETH"),
        ("68901.23", "C98", "68,901.23 C98"),
    ])
    func
        `a price is printed with the decimals of its currency, below 10 up to five digits, and below one all of them`(
            price: String, currency: String, expected: String
        )
    {
        let quote = Quote(price: Price(price)!, currency: Currency(currency)!, timestamp: anyTime())
        #expect(MoneyFormatter(locale: ICULocale(identifier: "en_US")).text(quote) == expected)
    }
}
