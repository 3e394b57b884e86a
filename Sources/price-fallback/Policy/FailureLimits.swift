import PipeCommon

/// How many failures a reading lists at most. No source can push another one's quote out of the line: 48 failures
/// of the greatest length leave room in the 64 KiB that the next stage accepts.
extension [Failure] {
    /// The last failures of one source, for the next stage.
    var lastOfSource: [Failure] { suffix(8).map(\.withoutRetryTime) }

    /// The last failures of all sources of a tick.
    var lastOfTick: [Failure] { count <= 48 ? self : Array(suffix(48)) }
}
