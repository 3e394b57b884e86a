import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// How ICU, called without Foundation, formats times, prices and percentages. Most results are compared with
/// the results of Foundation.
@Suite(.unit) struct ICUTests {
    private static var locales: [String] {
        let step = FullSize.isWanted ? 1 : 23
        let all = Locale.availableIdentifiers.sorted().enumerated()
        return ["en_US", "ar_EG", "fa_IR", "th_TH"] + all.filter { $0.offset % step == 0 }.map(\.element)
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

    @Test(arguments: locales) func `a locale's pattern for times is the same as in Foundation`(name: String) {
        let expected = DateFormatter.dateFormat(
            fromTemplate: "MMMdHHmm", options: 0, locale: Locale(identifier: name))
        #expect(ICULocale(identifier: name).timePattern("MMMdHHmm") == expected)
    }

    @Test(arguments: [(-1, "31 23:59:59"), (36_670, "1 10:11:10"), (86_400, "2 0:0:0"), (90_000, "2 1:0:0")])
    func `the offset of a time zone may include seconds and exceed a day`(offset: Int, expected: String) {
        let sut = PatternFormatter("d H:m:s", ICULocale(identifier: "en_US"), offset: offset)
        #expect(sut.text(0) == expected)
    }

    @Test func `a formatted time is complete even if it is longer than the usual buffer`() {
        let text = String(repeating: "x", count: 1000)
        #expect(PatternFormatter("'\(text)'", ICULocale(identifier: "en_US"), offset: 0).text(0) == text)
    }

    @Test(arguments: locales) func `a locale that Foundation lists is known to ICU`(name: String) {
        #expect(ICULocale(identifier: name).isKnown)
    }

    @Test(arguments: ["", "xx_YY", "de_XX", "xx_DE", "_DE", String(repeating: "a", count: 40)])
    func `a locale that does not exist is reported as unknown`(name: String) {
        #expect(!ICULocale(identifier: name).isKnown)
    }

    // MARK: prices, percentages and cached formatters

    private let prices = [
        "0.5", "0.000000012345", "0.999999999999", "1", "1.005", "1.08349", "9.994999", "9.995", "12.5",
        "99.999", "123.45", "999.995", "1234.5", "61141.09", "123456.7",
        "9999999.999", "000123456789.125", "999999999999.99", "999999999999.999999999999",
    ]

    @Test func `a price is written as Foundation writes it, in many locales and several currencies`() {
        let step = FullSize.isWanted ? 1 : 23
        for (index, name) in Locale.availableIdentifiers.sorted().enumerated() where index % step == 0 {
            let money = MoneyFormatter(locale: ICULocale(identifier: name))
            for code in ["USD", "EUR", "JPY", "KWD", "XXX"] {
                let currency = Currency(code)!
                let style = Decimal.FormatStyle.Currency(code: code, locale: Locale(identifier: name))
                    .rounded(rule: .toNearestOrAwayFromZero)
                for text in prices {
                    let quote = Quote(price: Price(text)!, currency: currency, timestamp: anyTime())
                    let decimals = Price(text)!.shownUnits(decimals: ["JPY": 0, "KWD": 3][code] ?? 2).decimals
                    let expected = Decimal(string: text)!.formatted(
                        style.precision(.fractionLength(decimals)))
                    #expect(money.text(quote) == expected, "\(name) \(code) \(text)")
                    let aligned = money.text(quote, keeping: 5)
                    let five = style.precision(.fractionLength(max(decimals, 5)))
                    #expect(aligned == Decimal(string: text)!.formatted(five), "\(name) \(code) \(text)")
                }
            }
        }
    }

    @Test func `if 12 decimals are requested, a price below 1 has 12 decimals, and other prices have 6`() {
        func decimals(_ text: String) -> Int { Price(text)!.shownUnits(decimals: 2, keeping: 12).decimals }
        #expect(prices.map { decimals($0) } == prices.map { $0.hasPrefix("0.") ? 12 : 6 })
        let money = MoneyFormatter(locale: ICULocale(identifier: "en_US"))
        let largest = anyQuote("999999999999.999999999999")
        #expect(money.text(largest, keeping: 12) == "$1,000,000,000,000.000000")
        #expect(money.text(anyQuote("0.5"), keeping: 12) == "$0.500000000000")
    }

    @Test(arguments: locales) func `a percentage without its sign is written as in Foundation`(name: String) {
        let money = MoneyFormatter(locale: ICULocale(identifier: name))
        let style = Decimal.FormatStyle.Percent(locale: Locale(identifier: name)).scale(1)
            .precision(.fractionLength(2))
        for hundredths in [0, 1, 5, 184, 2999, 123_456] {
            let text = (Decimal(hundredths) / 100).formatted(style)
            #expect(money.percentage(hundredths: hundredths) == (hundredths == 0 ? "" : "+") + text)
            #expect(money.percentage(hundredths: -hundredths) == (hundredths == 0 ? "" : "-") + text)
        }
    }

    @Test(arguments: ["MMM d, HH:mm", "yyyy-MM-dd HH:mm:ss", "HH:mm:ss.SSS", "A", "EEEE 'at' h a", "z"])
    func `a cached formatter writes the same text for a time as a new formatter`(format: String) {
        let locale = ICULocale(identifier: "en_US")
        let cached = LocalTimeFormatter(format: format, locale: locale)
        var random = SeededRandom(7)
        var milliseconds = 1_795_269_787_412
        for step in 0..<200 {
            if step == 100 { milliseconds = -30_000 }
            milliseconds += [0, 1, 999, 1000, 59_000, 61_000, 3_600_000, -86_400_000].randomElement(
                using: &random)!
            let time = Timestamp(milliseconds: milliseconds)
            #expect(cached.text(time) == LocalTimeFormatter(format: format, locale: locale).text(time))
        }
    }
}
