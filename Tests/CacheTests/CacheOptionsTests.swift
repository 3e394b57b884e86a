import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

@Suite(.unit) struct CacheOptionsTests {
    @Test(arguments: [("1h", "10m", 600), ("10m", "1h", 600)])
    func `with --answer, the shorter of --fresh-for and --max-age applies`(
        fresh: String, age: String, limit: Int
    ) throws {
        let options = try CacheOptions(parsing: ["--answer", "--fresh-for", fresh, "--max-age", age])
        #expect(options.answerFreshness.limit == .seconds(limit))
    }

    @Test func `a stored quote is fresh for a minute by default`() throws {
        #expect(try CacheOptions(parsing: ["--answer"]).freshness == .seconds(60))
        #expect(try CacheOptions(parsing: ["--answer", "--fresh-for", "1.5h"]).freshness == .seconds(5400))
    }
}
