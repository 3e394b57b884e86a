import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The options, and the names that sources are given before their first readings arrive.
@Suite(.unit) struct FallbackOptionsTests {
    private func options(_ words: String...) throws -> FallbackOptions {
        try FallbackOptions(parsing: words)
    }

    @Test func `by default, the timeout and the hedge are 800 ms, and the budget is one second`() throws {
        let sut = try options("a", "b")
        let expected = TimeLimits(timeout: .milliseconds(800), budget: .seconds(1), hedge: .milliseconds(800))
        #expect(sut.limits == expected)
        #expect(sut.commands == ["a", "b"])
    }

    @Test func `the hedge equals the timeout by default and is never longer than the timeout`() throws {
        #expect(try options("--timeout", "500ms", "a").limits.hedge == .milliseconds(500))
        #expect(try options("--hedge=0", "a").limits.hedge == .zero)
        #expect(try options("--hedge=5s", "a").limits.hedge == .milliseconds(800))
    }

    @Test func `--agree changes or removes the limit of 10% by which prices may differ`() throws {
        #expect(try options("a").agree == Tolerance("10%"))
        #expect(try options("--agree", "0.5%", "a").agree == Tolerance("0.5%"))
        #expect(try options("--agree=off", "a").agree == nil)
    }

    @Test(arguments: [
        ("price-fetch binance", "binance"), ("price-fetch  kraken --timeout 1s", "kraken"),
        ("price-cache --answer", "source 2"), ("price-cache", "source 2"), ("price-fetch", "source 2"),
        ("price-fetcher binance", "source 2"), ("./my-source", "source 2"),
        ("price-fetch --url 'http://host/?apikey=SECRET' --price /p", "source 2"),
        ("price-fetch 'http://host/?apikey=SECRET'", "source 2"), ("price-fetch $KEY", "source 2"),
        ("KEY=SECRET price-fetch binance", "source 2"),
    ])
    func `a source is named after the exchange in its price-fetch command, or else after its position`(
        command: String, name: String
    ) throws {
        #expect(try options("a", command, "c").names == ["source 1", name, "source 3"])
    }
}
