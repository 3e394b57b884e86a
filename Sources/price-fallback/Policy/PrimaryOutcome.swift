import PipeCommon

/// The result of asking the primary in one tick.
enum PrimaryOutcome {
    /// Not known yet, or of no importance.
    case pending
    case succeeded
    case failed(Failure)
}
