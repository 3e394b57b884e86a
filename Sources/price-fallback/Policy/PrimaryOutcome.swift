import PipeCommon

/// The result of asking the primary in one tick.
enum PrimaryOutcome {
    case pending
    case succeeded
    case failed(Failure)
}
