import PipeCommon

/// Decides which fallback is queried for a second opinion on one symbol's price. Pure.
///
/// While no source but the primary has sent a quote within the last minute, the fallbacks are queried one after the
/// other, each at most once a minute.
struct SecondOpinion {
    typealias Instant = Deadline.Instant

    static let lifetime = Duration.seconds(60)

    /// When each source was last queried early, that is, without a tick that needed its quote. The index is the
    /// source's index; the array ends at the last source that was ever queried early.
    private var asked: [Instant?] = []
    private var lastAsked: Instant?
    /// One bit for each of the first 64 sources. A bit is set if the latest answer of its source says that the source
    /// does not know the symbol. The source is then not queried for a second opinion.
    private var lacking: UInt64 = 0

    /// Records whether a source knows the symbol, according to its answer to any tick.
    mutating func record(_ reading: borrowing Reading, from source: Int) {
        guard source < UInt64.bitWidth else { return }
        let isLacking = reading.quote == nil && reading.failures.last?.kind == .unsupported
        if isLacking { lacking |= 1 << source } else { lacking &= ~(1 << source) }
    }

    /// - Parameters:
    ///   - first: selects the fallback to begin with, so that different symbols use different fallbacks.
    ///   - sources: the number of sources, including the primary.
    ///   - patience: how long an answer may take; no other fallback is queried during this time.
    ///   - mayAsk: whether a source may be queried now.
    /// - Returns: the fallback to query now; nil if no fallback should be queried now.
    mutating func next(
        after first: Int, of sources: Int, patience: Duration, at now: Instant, _ mayAsk: (Int) -> Bool
    ) -> Int? {
        if let lastAsked, now - lastAsked < patience { return nil }
        for step in 0..<sources - 1 {
            let source = 1 + (first + step) % (sources - 1)
            let isLacking = source < UInt64.bitWidth && lacking & 1 << source != 0
            if !isLacking, mayAsk(source), take(source, at: now) { return source }
        }
        return nil
    }

    /// Records that a source is queried early now, unless it was already queried early within the last minute.
    ///
    /// - Returns: whether the source may be queried now.
    mutating func take(_ source: Int, at now: Instant) -> Bool {
        while source >= asked.count { asked.append(nil) }
        if let time = asked[source], now - time < Self.lifetime { return false }
        (asked[source], lastAsked) = (now, now)
        return true
    }
}

/// Spreads the requests for second opinions over the beats: two symbols per second, or more if that is needed to reach
/// each symbol once in 50 seconds. The symbols take turns. Pure.
struct OpinionPace {
    private static let leastPerSecond = 2
    private static let cycle = 50

    private var last: Deadline.Instant?
    /// The remainder of the last allowance, in thousandths of a symbol.
    private var rest = 0
    /// This number modulo the number of symbols in a beat is the index of the next symbol.
    private(set) var turn = 0

    /// - Parameter symbols: the number of symbols in this beat.
    /// - Returns: how many second opinions may be requested now; none in the first beat.
    mutating func allowance(of symbols: Int, at now: Deadline.Instant) -> Int {
        defer { last = now }
        guard let last else { return 0 }
        let elapsed = min((now - last).milliseconds, Self.cycle * 1000)
        let share = rest + elapsed * max(Self.leastPerSecond, (symbols + Self.cycle - 1) / Self.cycle)
        rest = share % 1000
        return share / 1000
    }

    mutating func advance(by symbols: Int) {
        turn += symbols
    }
}
