import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct DurationParsingTests {
    @Test(arguments: [
        ("800ms", 800), ("1s", 1000), ("1", 1000), ("0.25", 250), ("1.5s", 1500), ("1.5m", 90_000),
        ("2h", 7_200_000), ("7d", 604_800_000), ("0", 0), ("0.8s", 800), ("0100ms", 100),
    ])
    func `a duration is a number with an optional unit`(text: String, milliseconds: Int) {
        #expect(Duration(parsing: text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "ms", "-1s", "+1s", "1x", "1.s", ".5s", "1e3", " 1s", "1 s", "1s ", "1.2.3s", "１s", "1S",
        "9999999999s",
    ])
    func `anything else is not a duration`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }
}
