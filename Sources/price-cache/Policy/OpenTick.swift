import PipeCommon

/// A tick that is not answered yet. If nothing fresh is stored for it, one program claims to refresh what is stored, by
/// letting the tick fail so that the next source is asked. The others wait for that refreshed quote, as long as the
/// tick's time limit allows. Pure.
struct OpenTick {
    /// For a tick without a time limit.
    private static let timeout = Duration.milliseconds(800)
    /// The time that the answer needs to be in time.
    private static let margin = Duration.milliseconds(50)

    let tick: Tick
    private let deadline: Deadline

    init(_ tick: Tick, at now: Deadline.Instant) {
        self.tick = tick
        let timeout = min(tick.timeout ?? Self.timeout, Self.timeout)
        deadline = Deadline(in: max(.zero, timeout - Self.margin), from: now)
    }

    /// - Parameters:
    ///   - load: what is stored now, and why it cannot be used.
    ///   - claim: returns false while another program has the claim.
    /// - Returns: nil while the tick has to wait.
    func reading(
        _ freshness: Freshness, at wall: Timestamp, _ now: Deadline.Instant,
        load: () -> (stored: StoredQuote?, problem: String?), claim: () -> Bool
    ) -> Reading? {
        let (stored, problem) = load()
        if let reading = freshness.reading(answering: tick, with: stored, at: wall) { return reading }
        guard claim() || deadline.hasPassed(at: now) else { return nil }
        // The quote may have been refreshed between the look and the claim.
        let refreshed = load().stored
        return freshness.reading(answering: tick, with: refreshed, at: wall)
            ?? Freshness.expired(tick, refreshed ?? stored, problem: problem)
    }
}
