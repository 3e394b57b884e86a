import PipeCommon

/// Now, by the wall clock, and by the monotonic clock, which counts how long ago something arrived.
struct Moment {
    var wall: Timestamp
    var instant: Deadline.Instant

    static var now: Moment { Moment(wall: .now(), instant: .now) }
}
