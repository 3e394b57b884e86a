import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// How times and prices are written. The files in `EndToEndTests/Cases` test the lines of the plain style.
@Suite(.unit) struct PriceViewTests {
    @Test func `a time is shown with its year unless it is in the current year of the local time zone`() {
        let midnight = Timestamp("2026-12-31T22:00:00.000Z")!
        let wording = Wording(
            timeFormat: "HH", withYear: "y HH", locale: ICULocale(identifier: "en_US"),
            offset: { _ in 7200 }, now: { midnight })
        for (time, now, text) in [
            (-60_000, -1, "23"), (-60_000, 0, "2026 23"), (0, 3_600_000, "00"), (0, -1, "2027 00"),
            (0, nil, "00"), (-60_000, nil, "2026 23"),
        ] {
            let now = now.map { midnight + .milliseconds($0) }
            #expect(wording.text(midnight + .milliseconds(time), at: now) == text)
        }
    }

    @Test(arguments: [
        ("en_US", "USD", "Nov 21, 14:03 - $68,901.23"), ("en_GB", "USD", "Nov 21, 14:03 - US$68,901.23"),
        ("de_DE", "USD", "Nov. 21, 14:03 - 68.901,23\u{A0}$"),
        ("fr_FR", "USD", "nov. 21, 14:03 - 68\u{202F}901,23\u{A0}$US"),
        ("ja_JP", "USD", "11月 21, 14:03 - $68,901.23"), ("de_DE", "USDT", "Nov. 21, 14:03 - 68.901,23 USDT"),
        ("ar_EG", "USDT", "نوفمبر ٢١, ١٤:٠٣ - ٦٨٬٩٠١٫٢٣ USDT"),
    ])
    func `prices are in the locale's format, and times use the locale's month names and digits`(
        locale: String, currency: String, expected: String
    ) throws {
        var sut = PlainLines(.inUTC(locale: locale), Palette(usesColor: false), hasCandles: true)
        var text = ByteBuffer()
        let line = quoteLine().replacing("\"USD\"", with: "\"\(currency)\"")
        sut.append(try Reading(line: line.utf8), to: &text)
        #expect(text.text == expected)
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
        `a price has its currency's decimals; below 10, up to five digits are shown, and below 1, all digits`(
            price: String, currency: String, expected: String
        )
    {
        let quote = Quote(price: Price(price)!, currency: Currency(currency)!, timestamp: anyTime())
        #expect(MoneyFormatter(locale: ICULocale(identifier: "en_US")).text(quote) == expected)
    }
}
