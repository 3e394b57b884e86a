import PipeCommon

/// Decides which fallback is queried for a second opinion on one symbol's price. Pure.
///
/// While a second opinion is needed (see `Opinions.needsSecond`), the fallbacks are tried in turn. Each
/// fallback is queried early, that is, without a tick that needs its quote, at most once a minute for the same symbol.
struct SecondOpinion {
    typealias Instant = Deadline.Instant

    static let lifetime = Duration.seconds(60)

    /// When each source was last queried early, by the source's index. Sources beyond the end of the array have never
    /// been queried early.
    private var asked: [Instant?] = []
    private var lastAsked: Instant?
    /// One bit for each of the first 64 sources; for other sources, `1 << source` is 0. A source's bit is set if the
    /// source's latest reading contained no quote and the last failure in the reading was of the kind `unsupported`.
    /// Such a source is not queried for a second opinion.
    private var lacking: UInt64 = 0

    /// Records whether a source knows the symbol, according to a reading from the source.
    mutating func record(_ reading: borrowing Reading, from source: Int) {
        let isLacking = reading.quote == nil && reading.failures.last?.kind == .unsupported
        if isLacking { lacking |= 1 << source } else { lacking &= ~(1 << source) }
    }

    /// - Parameters:
    ///   - first: a number that determines which fallback is tried first. It differs from symbol to symbol, so that the
    ///     requests are spread over the fallbacks.
    ///   - sources: the number of sources, including the primary.
    ///   - patience: how long an answer may take. The result is nil until this time has passed since the last early
    ///     query.
    ///   - mayAsk: whether a source may be queried now.
    /// - Returns: the fallback to query now; nil if no fallback should be queried now.
    mutating func next(
        after first: Int, of sources: Int, patience: Duration, at now: Instant, _ mayAsk: (Int) -> Bool
    ) -> Int? {
        if let lastAsked, now - lastAsked < patience { return nil }
        let fallbacks = sources - 1
        for step in 0..<fallbacks {
            let source = 1 + (first + step) % fallbacks
            let isLacking = lacking & 1 << source != 0
            if !isLacking, mayAsk(source), take(source, at: now) { return source }
        }
        return nil
    }

    /// Records an early query to a source, unless the source was already queried early within the last minute.
    ///
    /// - Returns: whether the source may be queried now.
    mutating func take(_ source: Int, at now: Instant) -> Bool {
        while source >= asked.count { asked.append(nil) }
        if let time = asked[source], now - time < Self.lifetime { return false }
        (asked[source], lastAsked) = (now, now)
        return true
    }
}

/// Spreads the requests for second opinions over the beats. The limit is an average of two requests per second, or more
/// if that is needed to reach each symbol once in 50 seconds. The symbols take turns. Pure.
struct OpinionPace {
    private static let leastPerSecond = 2
    private static let cycle = 50

    /// The current beat: its number, when its first ticks were read, and how many of its ticks have been read so far.
    private var beat: (number: Int?, start: Deadline.Instant, symbols: Int)?
    /// How many second opinions may still be requested in the current beat; none in the first beat.
    private(set) var left = 0
    /// The fraction of a request that remained when `left` was last set, in thousandths.
    private var rest = 0
    /// The index, within a beat, at which the search for the next symbol begins. It may lie past the end of the beat.
    private(set) var turn = 0

    /// Records ticks that were read. A beat's ticks are not always read together, so calls with the same number within
    /// a second belong to one beat. Only the first of these calls may set `left`.
    ///
    /// - Returns: the index, within the beat, of the first of these ticks.
    mutating func record(_ symbols: Int, ofBeat number: Int?, at now: Deadline.Instant) -> Int {
        // The time is checked as well, because a clock that is started repeatedly uses the same number for different
        // beats.
        if let beat, beat.number == number, now - beat.start < .seconds(1) {
            self.beat?.symbols += symbols
            return beat.symbols
        }
        defer { beat = (number, now, symbols) }
        guard let beat else { return 0 }
        // If the last symbol of the previous beat has had its turn, the first symbol is next.
        if left > 0 || turn >= beat.symbols { turn = 0 }
        let elapsed = min((now - beat.start).milliseconds, Self.cycle * 1000)
        // More ticks of this beat may follow, but most beats have as many symbols as the previous beat.
        let perSecond = max(Self.leastPerSecond, (max(symbols, beat.symbols) + Self.cycle - 1) / Self.cycle)
        (left, rest) = (rest + elapsed * perSecond).quotientAndRemainder(dividingBy: 1000)
        return 0
    }

    /// Records a request for a second opinion.
    ///
    /// - Parameter symbol: the index of the symbol in the beat.
    mutating func use(for symbol: Int) {
        left -= 1
        if left == 0 { turn = symbol + 1 }
    }
}
