import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Whether a loop that wakes up late was suspended or was only slow.
@Suite(.unit) struct SuspensionTests {
    private var sut = Suspension(sleepTime: .seconds(100))

    @Test mutating func `a loop that is late only because the machine is busy does not count as suspended`() {
        // Up to 100 ms of sleep do not count.
        #expect(sut.explains(late: .seconds(3), sleepTime: .milliseconds(100_100)) == false)
    }

    @Test mutating func `a loop that is late after SIGCONT counts as suspended`() {
        sut.recordContinued()
        #expect(sut.explains(late: .seconds(3), sleepTime: .seconds(100)) == true)
        // A suspension counts only once.
        #expect(sut.explains(late: .seconds(3), sleepTime: .seconds(100)) == false)
    }

    @Test mutating func `a loop that is late because the machine slept counts as suspended`() {
        #expect(sut.explains(late: .seconds(60), sleepTime: .milliseconds(100_101)) == true)
        #expect(sut.explains(late: .seconds(60), sleepTime: .milliseconds(100_101)) == false)
    }

    @Test mutating func `even after SIGCONT, a delay of up to a second does not count as a suspension`() {
        sut.recordContinued()
        #expect(sut.explains(late: .seconds(1), sleepTime: .seconds(100)) == false)
    }

    @Test func `after a suspension, a pending tick still has the rest of its budget`() {
        // Given a program that, 300 ms after a tick, is suspended for 30 s
        var simulation = Simulation(asking: anyTick())
        _ = simulation.advance(to: 300)
        simulation.suspend(for: .seconds(30))
        #expect(simulation.nextDeadline == 30_800)
        // Then the primary still has 500 ms, and if it fails, the fallback gets the rest of the budget
        simulation.expect("30300 → ", "30799 0v → 0v")
        simulation.expect("30300 → ", "30301 0x → ask 1/699")
    }
}
