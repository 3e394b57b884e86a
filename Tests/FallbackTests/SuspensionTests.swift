import Testing

@testable import price_fallback

/// Whether a late loop was suspended or only slow.
@Suite(.unit) struct SuspensionTests {
    private var sut = Suspension(sleepTime: .seconds(100))

    @Test mutating func `a loop that is late because the machine is busy was not suspended`() {
        #expect(sut.gap(late: .seconds(3), sleepTime: .seconds(100)) == .zero)
    }

    @Test mutating func `a process that was continued was suspended for as long as it is late`() {
        sut.recordContinued()
        #expect(sut.gap(late: .seconds(3), sleepTime: .seconds(100)) == .seconds(3))
        // It counts once.
        #expect(sut.gap(late: .seconds(3), sleepTime: .seconds(100)) == .zero)
    }

    @Test mutating func `a machine that slept was suspended`() {
        #expect(sut.gap(late: .seconds(60), sleepTime: .seconds(160)) == .seconds(60))
        #expect(sut.gap(late: .seconds(60), sleepTime: .seconds(160)) == .zero)
    }

    @Test mutating func `a stop of up to a second does not matter`() {
        sut.recordContinued()
        #expect(sut.gap(late: .seconds(1), sleepTime: .seconds(100)) == .zero)
    }
}
