import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

@Suite(.unit) struct FormatOptionsTests {
    private func options(_ words: String...) throws -> FormatOptions {
        try FormatOptions(parsing: words)
    }

    @Test func `by default, the locale is American English, and no time format is set`() throws {
        #expect(try options().timeFormat == nil && options().locale.identifier == "en_US")
        #expect(try options("--style", "plain", "--locale", "de_DE").locale.identifier == "de_DE")
    }

    @Test(arguments: [
        ("no_NO", "no_NO"), ("en_US.UTF-8", "en_US"), ("de_DE@euro", "de_DE"), ("de-DE", "de_DE"),
        ("de", "de"), ("zh_CN", "zh_CN"),
    ])
    func `a locale may contain a hyphen, an encoding or a modifier`(name: String, identifier: String) throws {
        #expect(try options("--locale", name).locale.identifier == identifier)
    }

    @Test func `--open, --names and --sort are parsed, and the default order is by price`() throws {
        let options = try options("--open", "NVDA", "--names", "names", "--sort", "change")
        #expect(options.open == Symbol("NVDA") && options.names == "names")
        #expect(options.order == .change && FormatOptions().order == .price)
    }

    @Test(arguments: [
        ("en_US", "MMM d, HH:mm", "MMM d, HH:mm:ss"), ("de_DE", "d. MMM, HH:mm", "d. MMM, HH:mm:ss"),
        ("en_GB", "d MMM, HH:mm", "d MMM, HH:mm:ss"), ("fr_FR", "d MMM, HH:mm", "d MMM, HH:mm:ss"),
        ("ja_JP", "M月d日 H:mm", "M月d日 H:mm:ss"),
    ])
    func `the default time format follows the locale's pattern for day, month and time`(
        locale: String, short: String, seconds: String
    ) {
        #expect(TimeFormat.short(in: ICULocale(identifier: locale)) == short)
        #expect(TimeFormat.short(in: ICULocale(identifier: locale), withSeconds: true) == seconds)
    }
}
