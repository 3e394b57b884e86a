import PipeCommon
import TestTraits
import Testing

@testable import price_fallback

@Suite(.unit) struct BackoffTests {
    private let start = Deadline.Instant.now

    @Test(.fault(1))
    func `a source that keeps exiting is restarted after 1, 2, 4, 8, 16 and then every 30 seconds`() {
        var sut = RestartBackoff()
        var now = start
        var waits: [Int] = []
        for _ in 0..<8 {
            sut.started(at: now)
            let next = sut.ended(at: now + .milliseconds(10))
            waits.append(Int((next.instant - now) / .seconds(1)))
            now = next.instant
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
    }

    @Test(arguments: [(4999, 2), (5000, 1), (5001, 1)])
    func `after a run of 5 seconds the back-off starts again at one second`(lifetime: Int, wait: Int) {
        var sut = RestartBackoff()
        sut.started(at: start)
        _ = sut.ended(at: start)
        sut.started(at: start)
        #expect(sut.ended(at: start + .milliseconds(lifetime)) == Deadline(in: .seconds(wait), from: start))
    }

    @Test func `a source that ran for a long time is restarted immediately`() {
        var sut = RestartBackoff()
        sut.started(at: start)
        #expect(sut.ended(at: start + .seconds(60)).hasPassed(at: start + .seconds(60)))
    }
}
