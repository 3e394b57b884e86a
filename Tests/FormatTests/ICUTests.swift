import Foundation
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// ICU, asked without Foundation, writes what Foundation writes.
@Suite(.unit) struct ICUTests {
    private static var locales: [String] {
        let step = FullSize.count(short: 23, full: 1)
        let all = Locale.availableIdentifiers.sorted().enumerated()
        return ["en_US", "ar_EG", "fa_IR", "th_TH"] + all.filter { $0.offset % step == 0 }.map(\.element)
    }

    @Test(arguments: locales) func `a number is written as Foundation writes it`(name: String) {
        let style = Decimal.FormatStyle(locale: Locale(identifier: name)).precision(.fractionLength(2...12))
        for digits in ["0.5", "12", "1234.123456789012"] {
            let expected = Decimal(string: digits)!.formatted(style)
            #expect(ICULocale(identifier: name).number(digits, ".00##########") == expected)
        }
    }

    @Test(arguments: locales) func `a time is written as Foundation writes it`(name: String) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: name)
        for pattern in ["MMM d, HH:mm", "EEEE yyyy-MM-dd h:mm:ss.SSS a", "z", "'at' G Q w", ""] {
            formatter.dateFormat = pattern
            for offset in [0, 3600, -12_600, 20_700] {
                formatter.timeZone = TimeZone(secondsFromGMT: offset)
                let sut = PatternFormatter(pattern, ICULocale(identifier: name), offset: offset)
                for time in [0, 1_795_269_787_412] {
                    let expected = formatter.string(from: Date(timeIntervalSince1970: Double(time) / 1000))
                    #expect(sut.text(time) == expected, "\(pattern) \(offset)")
                }
            }
        }
    }

    @Test(arguments: locales) func `the usual pattern for a time is that of Foundation`(name: String) {
        let expected = DateFormatter.dateFormat(
            fromTemplate: "MMMdHHmm", options: 0, locale: Locale(identifier: name))
        #expect(ICULocale(identifier: name).timePattern("MMMdHHmm") == expected)
    }

    @Test(arguments: [(-1, "31 23:59:59"), (12_345, "1 03:25:45"), (25 * 3600, "2 01:00:00")])
    func `an offset may have seconds, and more than a day`(offset: Int, expected: String) {
        let sut = PatternFormatter("d HH:mm:ss", ICULocale(identifier: "en_US"), offset: offset)
        #expect(sut.text(0) == expected)
    }

    @Test func `a text may be longer than any buffer`() {
        let text = String(repeating: "x", count: 1000)
        #expect(PatternFormatter("'\(text)'", ICULocale(identifier: "en_US"), offset: 0).text(0) == text)
    }

    @Test(arguments: locales) func `a locale that Foundation lists is known`(name: String) {
        #expect(ICULocale(identifier: name).isKnown)
    }

    @Test(arguments: ["", "xx_YY", "de_XX", "xx_DE", "_DE", String(repeating: "a", count: 40)])
    func `any other locale is not`(name: String) {
        #expect(!ICULocale(identifier: name).isKnown)
    }
}
