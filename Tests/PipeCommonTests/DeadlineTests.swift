import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct DeadlineTests {
    private let start = Deadline.Instant.now

    @Test(arguments: [(799, false, 1), (800, true, 0), (801, true, 0)])
    func `a deadline is over at its own instant`(elapsed: Int, hasPassed: Bool, remaining: Int) {
        let sut = Deadline(in: .milliseconds(800), from: start)
        let now = start + .milliseconds(elapsed)
        #expect(sut.hasPassed(at: now) == hasPassed)
        #expect(sut.remaining(at: now) == .milliseconds(remaining))
    }
}
