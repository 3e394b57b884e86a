import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

@Suite(.unit) struct CacheOptionsTests {
    @Test(arguments: [
        ["--answer", "--max-age", "7d"], ["--answer", "--validate"], ["--fresh-for", "1m"],
        ["--validate", "--fresh-for", "1m"], ["--answer", "--fresh-for", "0"], ["quote.json"],
    ])
    func `options that do not go together are refused`(words: [String]) {
        #expect(throws: UsageError.self) { try CacheOptions(parsing: words) }
    }

    @Test func `a stored quote is fresh for a minute by default`() throws {
        #expect(try CacheOptions(parsing: ["--answer"]).freshness == .seconds(60))
        #expect(try CacheOptions(parsing: ["--answer", "--fresh-for", "1.5h"]).freshness == .seconds(5400))
    }
}
