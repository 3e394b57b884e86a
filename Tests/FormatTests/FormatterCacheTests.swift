import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The caches from line to line do not change a text.
@Suite(.unit) struct FormatterCacheTests {
    private let prices = [
        "0.5", "0.000000012345", "0.999999999999", "1", "1.005", "1.08349", "9.994999", "9.995", "12.5",
        "99.999", "123.45", "999.995", "1234.5", "61141.09",
        "123456.7",
        "9999999.999", "000123456789.125", "999999999999.99", "999999999999.999999999999",
    ]

    @Test func `a price is written as Foundation writes it, in every locale and currency`() {
        let step = FullSize.count(short: 23, full: 1)
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
                }
            }
        }
    }

    @Test(arguments: ["MMM d, HH:mm", "yyyy-MM-dd HH:mm:ss", "HH:mm:ss.SSS", "A", "EEEE 'at' h a", "z"])
    func `a time is written as by a new formatter`(format: String) {
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
