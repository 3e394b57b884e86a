import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// How much two prices may differ. The limit is exact to 12 decimals even for the smallest and the
/// largest possible price.
@Suite(.unit) struct ToleranceTests {
    @Test(
        .fault(56),
        arguments: [
            ("10%", "100", "109.999999999999", true), ("10%", "100", "110", true),
            ("10%", "100", "110.000000000001", false), ("10%", "68901.23", "75791.353", true),
            ("10%", "68901.23", "75791.353000000001", false), ("0.1%", "1.000", "1.001", true),
            ("0.1%", "1", "1.001000000001", false), ("1000%", "1", "11", true), ("1000%", "1", "11.1", false),
            ("1000%", "0.000000000001", "0.000000000011", true), ("10%", "0.000000000001", "1000", false),
            ("10%", "999999999999.999999999999", "909090909090.909090909090", true),
            ("10%", "999999999999.999999999999", "909090909090.909090909089", false),
            ("1000%", "999999999999.999999999999", "0.000000000001", false), ("10%", "1", "1.000000", true),
        ])
    func `two prices agree, in either order, if they differ by at most the tolerance`(
        tolerance: String, one: String, other: String, agree: Bool
    ) throws {
        let sut = try #require(Tolerance(tolerance))
        let (one, other) = (try #require(Price(one)).units, try #require(Price(other)).units)
        #expect(sut.allows(one, other) == agree && sut.allows(other, one) == agree)
    }

    @Test func `a tolerance is a percentage from 0.1 to 1000 with up to four decimals`() {
        let valid = ["0.1%", "0.1000%", "2.5%", "12.3456%", "1000%", "1000.0%"]
        #expect(valid.filter { Tolerance($0) != nil } == valid)
        for text in [
            "0.0999%", "0%", "1000.0001%", "2000%", "10", "%", "", "10 %", "-1%", "1e1%", "1.23456%", "off",
        ] { #expect(Tolerance(text) == nil, "\(text)") }
    }
}
