import PipeCommon
import TestSupport

@testable import price_format

extension Moment {
    private static let origin = Deadline.Instant.now

    /// A moment of a simulated clock. At this moment, the wall clock shows the given time plus `offset` milliseconds.
    init(_ time: Timestamp, wallAhead offset: Int = 0) {
        let elapsed = time.milliseconds - anyTime().milliseconds
        self.init(wall: time + .milliseconds(offset), instant: Self.origin + .milliseconds(elapsed))
    }
}

extension Board {
    mutating func record(_ reading: Reading, at time: Timestamp) { record(reading, at: Moment(time)) }
}
