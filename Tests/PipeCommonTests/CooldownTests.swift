import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct CooldownTests {
    private let start = Deadline.Instant.now

    @Test(arguments: [(119_999, "status 429"), (120_000, nil), (120_001, nil)])
    func `the reason and the remaining time are known until the cooldown ends`(elapsed: Int, reason: String?)
    {
        var sut = Cooldown<String>()
        #expect(sut.reason(at: start) == nil)
        sut.start("status 429", for: .seconds(120), at: start)
        let now = start + .milliseconds(elapsed)
        #expect(sut.reason(at: now)?.reason == reason)
        #expect(sut.reason(at: now)?.remaining == (reason == nil ? nil : .milliseconds(120_000 - elapsed)))
    }

    @Test func `no cooldown is longer than an hour`() {
        var sut = Cooldown<String>()
        sut.start("status 429", for: .seconds(7 * 24 * 60 * 60), at: start)
        #expect(sut.reason(at: start)?.remaining == .seconds(60 * 60))
        #expect(sut.reason(at: start + .seconds(60 * 60)) == nil)
    }
}
