import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

@Suite(.unit) struct FormatOptionsTests {
    private func options(_ words: String...) throws -> FormatOptions {
        try FormatOptions(parsing: words)
    }

    @Test func `plain American English is the default`() throws {
        #expect(try options().timeFormat == "MMM d, HH:mm" && options().locale.identifier == "en_US")
        #expect(try options("--style", "plain", "--locale", "de_DE").locale.identifier == "de_DE")
    }

    @Test(arguments: ["zh_CN", "no_NO", "en_US.UTF-8", "de_DE@euro", "de-DE", "de"])
    func `a locale may be written as elsewhere`(name: String) throws {
        #expect(
            try options("--locale", name).locale.language.languageCode?.identifier == String(name.prefix(2)))
    }

    @Test(arguments: [
        ["--style", "fancy"], ["--locale", "xx_YY"], ["--locale", ""], ["--time-format", ""], ["operand"],
    ])
    func `wrong usage is refused`(words: [String]) {
        #expect(throws: UsageError.self) { try FormatOptions(parsing: words) }
    }
}
