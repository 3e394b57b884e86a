import PipeCommon
import TestTraits
import Testing

/// How durations are parsed, when deadlines pass, and how long cooldowns and the pauses before restarts last.
@Suite(.unit) struct TimingTests {
    private let start = Deadline.Instant.now

    @Test(arguments: [(799, false, 1), (800, true, 0), (801, true, 0)])
    func `a deadline has passed as soon as its instant is reached`(
        elapsed: Int, hasPassed: Bool, remaining: Int
    ) {
        let (sut, now) = (Deadline(in: .milliseconds(800), from: start), start + .milliseconds(elapsed))
        #expect(sut.hasPassed(at: now) == hasPassed && sut.remaining(at: now) == .milliseconds(remaining))
        // The time limit for `poll` is rounded up.
        let later = Deadline(in: .seconds(60), from: start)
        #expect(later.pollTimeout > later.remaining().milliseconds && Deadline(in: .zero).pollTimeout == 0)
    }

    // MARK: cooldowns

    /// Each pair of arguments contains the requested and the actual length of the cooldown, in seconds.
    @Test(arguments: [(120, 120), (3600, 3600), (7 * 86_400, 3600)])
    func `a cooldown lasts at most an hour and cannot be replaced by a shorter cooldown`(
        requested: Int, seconds: Int
    ) {
        var sut = Cooldown<String>()
        #expect(sut.reason(at: start) == nil)
        for pause in [requested, seconds, 1] { sut.start("\(pause) s", for: .seconds(pause), at: start) }
        let end = start + .seconds(seconds)
        for rest in [seconds * 1000, 1] {
            let reason = sut.reason(at: end + .milliseconds(-rest))
            #expect(reason?.reason == "\(seconds) s" && reason?.remaining == .milliseconds(rest))
        }
        #expect(sut.reason(at: end) == nil && sut.reason(at: end + .milliseconds(1)) == nil)
    }

    // MARK: restarts

    @Test(.fault(1))
    func `a source that keeps exiting is restarted after 1, 2, 4, 8, 16 and then always 30 seconds`() {
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
    func `after a run of at least 5 seconds, the minimum time between two starts is one second again`(
        lifetime: Int, wait: Int
    ) {
        var sut = RestartBackoff()
        sut.started(at: start)
        _ = sut.ended(at: start)
        sut.started(at: start)
        #expect(sut.ended(at: start + .milliseconds(lifetime)) == Deadline(in: .seconds(wait), from: start))
    }

    // MARK: durations

    @Test(arguments: [
        ("800ms", 800), ("1s", 1000), ("1", 1000), ("0.250000000", 250), ("1.5s", 1500), ("1.5m", 90_000),
        ("2h", 7_200_000), ("7d", 604_800_000), ("0", 0), ("0.8s", 800), ("0100ms", 100),
    ])
    func `a duration is a number with an optional unit`(text: String, milliseconds: Int) {
        #expect(Duration(parsing: text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "ms", "-1s", "+1s", "1x", "1.s", ".5s", "1e3", " 1s", "1 s", "1s ", "1.2.3s", "１s", "1S",
        "9999999999s",
    ])
    func `text that is not a valid duration is rejected`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }
}
