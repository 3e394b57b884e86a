import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

@Suite(.unit) struct AgeTests {
    @Test(arguments: [
        (-5000, "0 s"), (0, "0 s"), (999, "0 s"), (1000, "1 s"), (59_999, "59 s"), (60_000, "1 min"),
        (3_599_999, "59 min"), (3_600_000, "1 h"), (86_399_999, "23 h"), (86_400_000, "1 d"),
    ])
    func `an age is rounded down and shown only in its largest unit`(milliseconds: Int, text: String) {
        #expect(Age(since: anyTime(), at: anyTime(milliseconds)).text == text)
    }
}
